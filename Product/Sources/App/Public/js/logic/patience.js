/** The longest time for which an answer is awaited, in milliseconds: as long as a stream may be silent. */
export const PATIENCE = 45_000;

/** The timers of the page. */
const TIMERS = {
  set: (/** @type {() => void} */ run, /** @type {number} */ time) => setTimeout(run, time),
  clear: (/** @type {ReturnType<typeof setTimeout> | undefined} */ timer) => clearTimeout(timer),
};

/**
 * The patience of a screen with the one request that is on its way: those behind it wait for its answer. It is given up after `PATIENCE`, and
 * when the stream comes back that there was when it was sent. The replica that was to answer may be gone
 * with the stream.
 */
export class Patience {
  #timers;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {AbortController | null} */
  #request = null;
  #hadStream = false;

  constructor(timers = TIMERS) {
    this.#timers = timers;
  }

  /**
   * A request begins. The signal is aborted when it is given up.
   *
   * @param {boolean} hasStream true if the stream is there
   */
  begin(hasStream) {
    const request = new AbortController();
    this.#request = request;
    this.#hadStream = hasStream;
    this.#timer = this.#timers.set(() => request.abort(), PATIENCE);
    return request.signal;
  }

  /** The request has ended. */
  end() {
    this.#timers.clear(this.#timer);
    this.#request = null;
  }

  /** The stream is there, for the first time or again. Returns true if a request is given up. */
  streamOpened() {
    if (!this.#request || !this.#hadStream) return false;
    this.#request.abort();
    return true;
  }
}
