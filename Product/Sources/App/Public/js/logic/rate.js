/** The time over which a rate is smoothed, in milliseconds: a network stutters, and a rate that does tells nothing. */
const SMOOTH = 3000;
/** The shortest time that is measured, and the time until a rate is told, in milliseconds. */
const STEP = 250;
const FIRST = 1000;

/**
 * The rate of a transfer, in bytes per second, and the seconds that are left.
 *
 * @typedef {{ rate: number, left: number }} Speed
 */

/** Measures a transfer. */
export class Rate {
  #now;
  #began = 0;
  #at = 0;
  #done = -1;
  #rate = 0;

  /** @param {() => number} now in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /**
   * The speed now that so many bytes are done; null until it can be told, and at the end. Fewer bytes than before are another transfer.
   *
   * @param {number} done
   * @param {number} total
   * @returns {Speed | null}
   */
  note(done, total) {
    const now = this.#now();
    if (this.#done < 0 || done < this.#done) {
      [this.#began, this.#at, this.#done, this.#rate] = [now, now, done, 0];
      return null;
    }
    const time = now - this.#at;
    if (time >= STEP) {
      const rate = (done - this.#done) / (time / 1000);
      const weight = this.#at === this.#began ? 1 : 1 - Math.exp(-time / SMOOTH);
      this.#rate += (rate - this.#rate) * weight;
      [this.#at, this.#done] = [now, done];
    }
    if (now - this.#began < FIRST || this.#rate <= 0 || done >= total) return null;
    return { rate: this.#rate, left: (total - done) / this.#rate };
  }
}

/**
 * A time that is left, in the unit that a person would say it in.
 *
 * @param {number} seconds
 * @returns {{ unit: "seconds" | "minutes" | "hours", count: number }}
 */
export function timeLeft(seconds) {
  if (seconds <= 60) return { unit: "seconds", count: Math.max(1, Math.ceil(seconds)) };
  if (seconds <= 3600) return { unit: "minutes", count: Math.ceil(seconds / 60) };
  return { unit: "hours", count: Math.ceil(seconds / 3600) };
}
