/**
 * A message of a page.
 *
 * @typedef {{ intent: string } & Record<string, string>} Message
 */

/**
 * The intents of a page, sent one after the other. A waiting message is replaced by a later
 * one with the same `replaces`, as the texts typed in one field have.
 */
export class IntentQueue {
  #send;
  #onEmpty;
  /** @type {{ message: Message, replaces: string | null, done: Promise<boolean>, resolve: (arrived: boolean) => void }[]} */
  #waiting = [];
  /** @type {Promise<void> | null} */
  #sending = null;

  /**
   * @param {(message: Message, replaces: string | null) => Promise<boolean>} send sends a message, and says whether it arrived.
   * @param {() => void} onEmpty hears that everything that was said has been sent.
   */
  constructor(send, onEmpty) {
    this.#send = send;
    this.#onEmpty = onEmpty;
  }

  /** True if nothing waits, and nothing is on its way. */
  get isEmpty() {
    return this.#sending === null;
  }

  /** Ends when everything that was said has been sent. */
  async settle() {
    await this.#sending;
  }

  /**
   * Sends a message after those before it. Returns whether it arrived.
   *
   * @param {Message} message
   * @param {string | null} replaces
   * @returns {Promise<boolean>}
   */
  add(message, replaces) {
    if (replaces) {
      // A message after an action, such as a payment, is never moved before that action.
      const act = this.#waiting.findLastIndex((entry) => !entry.replaces);
      const older = this.#waiting.slice(act + 1).find((entry) => entry.replaces === replaces);
      if (older) {
        older.message = message;
        return older.done;
      }
    }
    /** @type {(arrived: boolean) => void} */
    let resolve = () => {};
    /** @type {Promise<boolean>} */
    const done = new Promise((end) => (resolve = end));
    this.#waiting.push({ message, replaces, done, resolve });
    this.#sending ??= this.#sendWaiting();
    return done;
  }

  async #sendWaiting() {
    for (let entry = this.#waiting.shift(); entry; entry = this.#waiting.shift()) {
      entry.resolve(await this.#send(entry.message, entry.replaces));
    }
    this.#sending = null;
    this.#onEmpty();
  }
}
