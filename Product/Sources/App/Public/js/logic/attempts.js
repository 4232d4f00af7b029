/**
 * An attempt to pay: its key, what it is to pay, and the keys of earlier attempts whose outcomes are not known either.
 *
 * @typedef {{ id: string, digits: string, card: string, doubts: string[] }} Attempt
 */

/**
 * The part of a state that tells of outcomes: `shown` is the key of the payment that is shown, `over` that of one that was given up.
 *
 * @typedef {Pick<Wire.PaymentState, "phase" | "shown" | "over">} Outcome
 */

/** A new key. The server reads only this form. */
function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // Not every address counts as secure.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const text = Array.from(bytes, (byte, place) => (place === 6 ? (byte & 15) | 64 : place === 8 ? (byte & 63) | 128 : byte).toString(16).padStart(2, "0")).join("");
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * The attempts of a page to pay one contact. The page makes the key, and keeps it until it knows the outcome: a server that has never
 * heard of the attempt then gets the same key, and makes the same payment, not a second one.
 */
export class Attempts {
  #name;
  #kept;
  /** @type {Attempt | null} */
  #last = null;

  /**
   * @param {string} contact
   * @param {{ get: (name: string) => string | null, set: (name: string, value: string | null) => void }} kept outlasts the page
   */
  constructor(contact, kept) {
    this.#name = `paying.${contact}`;
    this.#kept = kept;
    this.#last = this.#read();
  }

  /** The last attempt, if its outcome is not known. */
  get last() {
    return this.#last;
  }

  /**
   * The attempt to pay this: the last one again if it was to pay the same, else a new one.
   *
   * @param {string} digits
   * @param {string} card
   * @returns {Attempt}
   */
  begin(digits, card) {
    const last = this.#last;
    if (last && last.digits === digits && last.card === card) return last;
    const next = { id: newKey(), digits, card, doubts: last ? [...last.doubts, last.id] : [] };
    this.#keep(next);
    return next;
  }

  /**
   * Follows the states of a model. An attempt is over when the model shows its outcome, or when its user has given it up: the next one is
   * another payment. The outcome of another payment, which a model of before may still show, says nothing of it; an earlier attempt of
   * which it tells is no doubt any more. A model that has never heard of an attempt tells nothing.
   *
   * @param {Outcome} state
   * @param {Outcome | null} [before] the state before it, if it is one of the same model
   */
  follow({ phase, shown, over }, before) {
    const last = this.#last;
    if (!last) return;
    const ended = [over];
    if (phase === "approved" || phase === "declined") ended.push(shown);
    if (phase === "ready" && before?.phase === "unknown") ended.push(before.shown);
    if (ended.includes(last.id)) return this.#keep(null);
    const doubts = last.doubts.filter((id) => !ended.includes(id));
    if (doubts.length < last.doubts.length) this.#keep({ ...last, doubts });
  }

  /** @param {Attempt | null} attempt */
  #keep(attempt) {
    this.#last = attempt;
    this.#kept.set(this.#name, attempt && JSON.stringify(attempt));
  }

  /** @returns {Attempt | null} */
  #read() {
    try {
      return JSON.parse(this.#kept.get(this.#name) ?? "null");
    } catch {
      return null;
    }
  }
}
