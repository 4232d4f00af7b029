/** In milliseconds: a day. */
const PATIENCE = 24 * 60 * 60 * 1000;
const MOST = 500;

/** The pictures that somebody is known not to have. They are asked for again after a day. */
export class Lacking {
  /** @type {Map<string, number>} */
  #since = new Map();

  /** @param {string | null} text what `text` gave before */
  constructor(text) {
    try {
      const kept = JSON.parse(text ?? "[]");
      if (!Array.isArray(kept)) return;
      for (const [path, since] of kept) if (typeof path === "string" && typeof since === "number") this.#since.set(path, since);
    } catch {
      // A text that cannot be read is none: the pictures are asked for once more.
    }
  }

  get text() {
    return JSON.stringify([...this.#since]);
  }

  /**
   * @param {string} path
   * @param {number} now
   */
  has(path, now) {
    const since = this.#since.get(path);
    return since !== undefined && since <= now && now - since < PATIENCE;
  }

  /**
   * @param {string} path
   * @param {number} now
   */
  add(path, now) {
    this.#since.delete(path);
    this.#since.set(path, now);
    for (const oldest of this.#since.keys()) if (this.#since.size > MOST) this.#since.delete(oldest);
  }
}
