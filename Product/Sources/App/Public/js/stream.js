import { ApiError, address, fetchOwn, replicaOf } from "./api.js";
import { listen } from "./events.js";

const RETRY = 2000;
/** The first attempt after a loss: another replica may be there already. The pages of a replica do not all come at once. */
const soon = () => 50 + 250 * Math.random();
/** The pause between two looks of a page that has another replica than before, and how many it takes: ten minutes of them. */
const LOOK = 5000;
const LOOKS = 120;

/**
 * The state of one screen's model, as it changes. `onState(text)` is called for every state; `onOpen(isFirst)`
 * after each connection, the first and every later one, which is told `false`, as is the first one if another attempt has failed before it; `headers()` go with each
 * request for one; `onSeen()` when the page is looked at again and has a connection, or is about to; `onMissing()` once, and nothing after it, if the server knows no
 * such screen. The document hears `aquifer:lost` (its detail is `gateway` if a proxy has told so) and `aquifer:found`, whose
 * detail is "first" if nothing was lost before, the news of all screens as `aquifer:news`, and `aquifer:state`
 * after each state.
 *
 * Behind a proxy the stream comes from one replica of several. When that one is gone, the proxy gives the page to another one; when it is
 * back, the proxy gives it the page's requests again, while the stream stays. The stream then follows: it looks for that, and `renew()`
 * is for whoever was told.
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
  #looking = 0;
  #renewedAt = -RETRY;
  /** The kind of error that the last connection has ended with. */
  #kind = "";
  /**
   * The name of the replica that the stream comes from, and that alone has the screen that is shown.
   *
   * @type {string | null}
   */
  replica = null;
  /** True while the connection is there. */
  isOpen = false;
  /** True until the first connection is there, or cannot be made. */
  #isFirst = true;

  /**
   * @param {string} path
   * @param {Record<string, string>} query
   * @param {{ headers: () => Record<string, string>, onOpen: (isFirst: boolean) => void, onState: (text: string) => void, onSeen: () => void, onMissing: () => void }} handlers
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
    document.addEventListener("aquifer:found", this.#found);
    this.#connect();
  }

  close() {
    this.#wanted = false;
    document.removeEventListener("visibilitychange", this.#visibility);
    document.removeEventListener("aquifer:found", this.#found);
    this.#disconnect();
  }

  async #connect() {
    const connection = new AbortController();
    this.#connection = connection;
    // A tab that was opened behind the others has been hidden from the beginning.
    if (document.visibilityState === "hidden") this.#hide();
    let kind = "";
    try {
      await listen(address(this.#path, this.#query), {
        signal: connection.signal,
        headers: this.#handlers.headers(),
        onOpen: (replica) => this.#opened(replica),
        onEvent: (name, text) => {
          if (this.#connection !== connection) return;
          if (name === "state") {
            this.#handlers.onState(text);
            document.dispatchEvent(new Event("aquifer:state"));
          }
          if (name === "news") document.dispatchEvent(new CustomEvent("aquifer:news", { detail: JSON.parse(text) }));
        },
      });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404 && this.#connection === connection) return this.#missing();
      // However else it ended, it is begun again; a page that may not be here was told so by `refusal`.
      if (error instanceof ApiError) kind = error.kind;
    }
    if (this.#connection === connection) this.#failed(kind);
  }

  /** @param {string | null} replica */
  #opened(replica) {
    clearTimeout(this.#lost);
    this.#lost = 0;
    this.isOpen = true;
    const isMoved = this.replica !== null && replica !== this.replica;
    this.replica = replica;
    const isFirst = this.#isFirst;
    document.dispatchEvent(new CustomEvent("aquifer:found", { detail: isFirst ? "first" : null }));
    this.#isFirst = false;
    this.#handlers.onOpen(isFirst);
    if (isMoved) this.#look(LOOKS);
  }

  /** Connects again at once, to whom the proxy gives the page now. A page that is sent to and fro does so with pauses. */
  renew() {
    if (!this.#wanted) return;
    const pause = this.#renewedAt + RETRY - performance.now();
    if (pause > 0) {
      clearTimeout(this.#looking);
      this.#looking = setTimeout(() => this.renew(), pause);
      return;
    }
    this.#renewedAt = performance.now();
    this.#disconnect();
    this.#connect();
  }

  /** @param {number} looks how many to take, at most */
  #look(looks) {
    clearTimeout(this.#looking);
    if (looks > 0) this.#looking = setTimeout(() => this.#compare(looks - 1), LOOK);
  }

  /** @param {number} looks */
  async #compare(looks) {
    const connection = this.#connection;
    try {
      const replica = replicaOf(await fetchOwn(address("/api/connection")));
      if (connection === null || this.#connection !== connection) return;
      if (replica !== null && replica !== this.replica) return this.renew();
    } catch {
      // The stream is the one to say that nobody answers.
    }
    if (this.#connection === connection) this.#look(looks);
  }

  /** The server has answered: there is nothing to ask it again. */
  #missing() {
    this.close();
    document.dispatchEvent(new Event("aquifer:found"));
    this.#handlers.onMissing();
  }

  #disconnect() {
    clearTimeout(this.#timer);
    clearTimeout(this.#looking);
    clearTimeout(this.#lost);
    this.#lost = 0;
    const connection = this.#connection;
    this.#connection = null;
    this.isOpen = false;
    connection?.abort();
  }

  /** @param {string} kind of what has ended it */
  #failed(kind) {
    this.#connection = null;
    this.isOpen = false;
    clearTimeout(this.#looking);
    this.#isFirst = false;
    if (!this.#wanted) return;
    this.#kind = kind;
    const isFirst = !this.#lost;
    // A short gap (another replica is there, or the server restarts the stream) is not worth alarming anyone.
    this.#lost ||= setTimeout(() => document.dispatchEvent(new CustomEvent("aquifer:lost", { detail: this.#kind })), 1000);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wanted && !this.#connection && this.#connect(), isFirst ? soon() : RETRY);
  }

  /** Somebody has had an answer: there is nothing to wait for. */
  #found = () => {
    if (!this.#wanted || this.#connection || document.visibilityState === "hidden") return;
    clearTimeout(this.#timer);
    this.#connect();
  };

  // A browser allows six connections to one server: a tab that nobody looks at gives its own back.
  #visibility = () => {
    clearTimeout(this.#hiding);
    if (document.visibilityState === "hidden") this.#hide();
    else if (this.#wanted && !this.#connection) {
      this.#disconnect();
      this.#connect();
    } else this.#handlers.onSeen();
  };

  #hide() {
    clearTimeout(this.#hiding);
    this.#hiding = setTimeout(() => this.#disconnect(), 10_000);
  }
}
