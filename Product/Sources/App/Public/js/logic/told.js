/** The longest time for which the state is awaited that answers the last edit, in milliseconds. */
export const SOON = 1000;

/**
 * The error of a field, told or not yet. A field that is being typed in is not called wrong, unless nothing that follows can mend it: it is
 * when it is left, and when the form is sent. An empty field is missed only when the form is sent.
 */
export class Told {
  #isTold = false;

  /** Something was typed. */
  edited() {
    this.#isTold = false;
  }

  /**
   * The field was left.
   *
   * @param {string} text
   */
  left(text) {
    if (text.trim() !== "") this.#isTold = true;
  }

  /** The form was to be sent. */
  missed() {
    this.#isTold = true;
  }

  /**
   * The error to show.
   *
   * @param {string} problem is wrong with the text as it stands
   * @param {string} certain is wrong with it whatever follows
   */
  text(problem, certain) {
    return this.#isTold ? problem : certain;
  }
}

/**
 * The wish that is open: a user wants one thing at a time.
 *
 * @type {Wish | null}
 */
let waiting = null;

/**
 * Ends the wish of any form. The page may show something else than what was to be sent: an edit did not arrive, the connection was lost, or
 * the page was left. Returns true if there was a wish.
 */
export function endWish() {
  const wasOpen = waiting?.isOpen ?? false;
  waiting?.end();
  return wasOpen;
}

/**
 * A form that its user wants to send. The typed text may still be on its way to the model, and the state that answers it on its way back:
 * the wish holds until then, and no longer, so that nothing is sent later by surprise.
 */
export class Wish {
  #now;
  #until = 0;
  #isOpen = false;

  /** @param {() => number} now in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  begin() {
    waiting?.end();
    waiting = this;
    this.#isOpen = true;
    this.#until = 0;
  }

  end() {
    this.#isOpen = false;
    if (waiting === this) waiting = null;
  }

  /** True while it holds. */
  get isOpen() {
    if (this.#until > 0 && this.#now() > this.#until) this.#isOpen = false;
    return this.#isOpen;
  }

  /** The model has heard everything: its answer comes soon, or not at all. */
  heard() {
    if (this.#until === 0) this.#until = this.#now() + SOON;
  }
}
