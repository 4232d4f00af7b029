import { address, request } from "./api.js";

const RETRY = 2000;

/**
 * The state of one screen's model, as it changes. `onState(state)` is called for every state; `onOpen()`
 * after each connection, the first and every later one. The document hears `aquifer:lost` and `aquifer:found`.
 */
export class ScreenStream {
  #path;
  #query;
  #handlers;
  #source = null;
  #timer = 0;
  #lost = 0;
  #wanted = false;
  #hiding = 0;

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

  /** Connects again, for example in another language. */
  reopen() {
    if (!this.#wanted) return;
    this.#disconnect();
    this.#connect();
  }

  #connect() {
    const source = new EventSource(address(this.#path, this.#query));
    this.#source = source;
    source.onopen = () => {
      clearTimeout(this.#lost);
      this.#lost = 0;
      document.dispatchEvent(new Event("aquifer:found"));
      this.#handlers.onOpen?.();
    };
    source.addEventListener("state", (event) => this.#handlers.onState(JSON.parse(event.data)));
    source.onerror = () => this.#failed();
  }

  #disconnect() {
    clearTimeout(this.#timer);
    clearTimeout(this.#lost);
    this.#lost = 0;
    this.#source?.close();
    this.#source = null;
  }

  #failed() {
    // A short gap (the server restarts the stream) is not worth alarming anyone.
    this.#lost ||= setTimeout(() => document.dispatchEvent(new Event("aquifer:lost")), 1000);
    clearTimeout(this.#timer);
    // EventSource gives up for good on an answer such as 401 or 503, and does not say which it was.
    if (this.#source?.readyState === EventSource.CLOSED) {
      request("GET", address("/api/connection")).catch(() => {});
    }
    this.#timer = setTimeout(() => {
      if (!this.#wanted || this.#source?.readyState === EventSource.OPEN) return;
      this.#source?.close();
      this.#connect();
    }, RETRY);
  }

  // A browser allows six connections to one server: a tab that nobody looks at gives its own back.
  #visibility = () => {
    clearTimeout(this.#hiding);
    if (document.visibilityState === "hidden") this.#hiding = setTimeout(() => this.#disconnect(), 10_000);
    else if (!this.#source) this.#connect();
  };
}
