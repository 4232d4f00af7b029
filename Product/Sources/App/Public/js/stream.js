import { ApiError, address } from "./api.js";
import { listen } from "./events.js";

const RETRY = 2000;

/**
 * The state of one screen's model, as it changes. `onState(text)` is called for every state; `onOpen()`
 * after each connection, the first and every later one; `onMissing()` once, and nothing after it, if the server knows no
 * such screen. The document hears `aquifer:lost` and `aquifer:found`, and the
 * news of all screens as `aquifer:news`.
 */
export class ScreenStream {
  #path;
  #query;
  #handlers;
  /**
   * Ends the connection that is there or being made.
   *
   * @type {AbortController | null}
   */
  #connection = null;
  #timer = 0;
  #lost = 0;
  #wanted = false;
  #hiding = 0;

  /**
   * @param {string} path
   * @param {Record<string, string>} query
   * @param {{ onOpen: () => void, onState: (text: string) => void, onMissing: () => void }} handlers
   */
  constructor(path, query, handlers) {
    this.#path = path;
    this.#query = query;
    this.#handlers = handlers;
  }

  open() {
    if (this.#wanted) return;
    this.#wanted = true;
    document.addEventListener("visibilitychange", this.#visibility);
    this.#connect();
  }

  close() {
    this.#wanted = false;
    document.removeEventListener("visibilitychange", this.#visibility);
    this.#disconnect();
  }

  async #connect() {
    const connection = new AbortController();
    this.#connection = connection;
    try {
      await listen(address(this.#path, this.#query), {
        signal: connection.signal,
        onOpen: () => this.#opened(),
        onEvent: (name, text) => {
          if (this.#connection !== connection) return;
          if (name === "state") this.#handlers.onState(text);
          if (name === "news") document.dispatchEvent(new CustomEvent("aquifer:news", { detail: JSON.parse(text) }));
        },
      });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404 && this.#connection === connection) return this.#missing();
      // However else it ended, it is begun again; a page that may not be here was told so by `refusal`.
    }
    if (this.#connection === connection) this.#failed();
  }

  #opened() {
    clearTimeout(this.#lost);
    this.#lost = 0;
    document.dispatchEvent(new Event("aquifer:found"));
    this.#handlers.onOpen();
  }

  /** The server has answered: there is nothing to ask it again. */
  #missing() {
    this.close();
    document.dispatchEvent(new Event("aquifer:found"));
    this.#handlers.onMissing();
  }

  #disconnect() {
    clearTimeout(this.#timer);
    clearTimeout(this.#lost);
    this.#lost = 0;
    const connection = this.#connection;
    this.#connection = null;
    connection?.abort();
  }

  #failed() {
    this.#connection = null;
    if (!this.#wanted) return;
    // A short gap (the server restarts the stream) is not worth alarming anyone.
    this.#lost ||= setTimeout(() => document.dispatchEvent(new Event("aquifer:lost")), 1000);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wanted && !this.#connection && this.#connect(), RETRY);
  }

  // A browser allows six connections to one server: a tab that nobody looks at gives its own back.
  #visibility = () => {
    clearTimeout(this.#hiding);
    if (document.visibilityState === "hidden") this.#hiding = setTimeout(() => this.#disconnect(), 10_000);
    else if (this.#wanted && !this.#connection) {
      this.#disconnect();
      this.#connect();
    }
  };
}
