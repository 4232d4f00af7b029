/**
 * An attempt to pay: its key, what it is to pay, and the keys of earlier attempts whose outcomes are not known either.
 *
 * @typedef {{ id: string, digits: string, card: string, doubts: string[] }} Attempt
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

  /** The outcome is known. The next attempt is another payment. */
  end() {
    if (this.#last) this.#keep(null);
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
