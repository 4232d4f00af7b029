import { carried } from "../carried.js";
import { rowOf, rows } from "../dom.js";
import { holdScroll, within } from "../hold-scroll.js";
import { tabMemory } from "../memory.js";

/** The time for which the place is held against rows that come above it, in milliseconds. */
const HOLD = 4000;
/** The height of the bar over the list, in pixels. */
const BAR = 64;

/**
 * A row of a list, and how far below the upper edge of the window it stands.
 *
 * @typedef {{ key: string, top: number }} Place
 */

/** True if the page was loaded again, or come back to: a page that is opened begins at its top. */
function isReturn() {
  const [navigation] = performance.getEntriesByType("navigation");
  // A page that loads itself again goes back by the means of `carried`.
  return carried === null && navigation instanceof PerformanceNavigationTiming && navigation.type !== "navigate";
}

/**
 * Keeps the place at which a list is read: across a reload, and while another page is shown. A place is a row and not a number of
 * pixels, so that it stays the same when rows come above it or the columns are others.
 */
export class ReadingPlace {
  #list;
  #rows;
  #key;
  /**
   * The place at which the list was left for another page.
   *
   * @type {Place | null}
   */
  #left = null;
  /**
   * The place to go back to, until its row has come.
   *
   * @type {Place | null}
   */
  #wanted = null;
  /** @type {AbortController | null} */
  #hold = null;

  /**
   * @param {HTMLElement} list
   * @param {string} rows the selector of rows that stay: what stands between them comes and goes
   * @param {string} name
   */
  constructor(list, rows, name) {
    this.#list = list;
    this.#rows = rows;
    this.#key = `place.${name}`;
    if (isReturn()) this.#wanted = this.#kept();
    addEventListener("pagehide", () => this.keep());
    document.addEventListener("visibilitychange", () => document.hidden && this.keep());
    if (this.#wanted) this.#untilUsed();
  }

  /** The place that is waited for: its row is not in the list yet. */
  get isWaiting() {
    return this.#wanted !== null && !this.#row;
  }

  get #row() {
    return this.#wanted ? rowOf(this.#list, this.#wanted.key) : undefined;
  }

  /** Notes the place, if the list is shown. */
  keep() {
    if (this.isWaiting || !this.#list.checkVisibility()) return;
    const place = (this.#left = this.#now());
    tabMemory.set(this.#key, place && JSON.stringify(place));
  }

  /** Goes back to the place at which the list was left. Returns the height of the page at which that is now; null at the top. */
  seek() {
    if (!this.#left) return null;
    this.#wanted = this.#left;
    this.#untilUsed();
    return this.#target();
  }

  /** Waits no longer: the row is not found. */
  giveUp() {
    this.#hold?.abort();
  }

  /** @returns {number | null} */
  #target() {
    const row = this.#row;
    if (!row || !this.#wanted || !row.checkVisibility()) return null;
    return within(scrollY + row.getBoundingClientRect().top - this.#wanted.top);
  }

  /**
   * Of the lasting rows in the window, the one whose beginning is nearest to the bar: it is probably read. Null at the top of the page.
   *
   * @returns {Place | null}
   */
  #now() {
    if (scrollY < 8) return null;
    /** @type {Place | null} */
    let best = null;
    for (const row of rows(this.#list)) {
      if (!row.matches(this.#rows)) continue;
      const { top, bottom } = row.getBoundingClientRect();
      const isSeen = bottom > BAR && top < innerHeight && row.dataset.key !== undefined;
      if (isSeen && (!best || Math.abs(top - BAR) < Math.abs(best.top - BAR))) best = { key: row.dataset.key ?? "", top };
    }
    return best;
  }

  /** @returns {Place | null} */
  #kept() {
    try {
      /** @type {Place | null} */
      const place = JSON.parse(tabMemory.get(this.#key) ?? "null");
      return typeof place?.key === "string" && Number.isFinite(place.top) ? place : null;
    } catch {
      // Nothing was kept, or by another version.
      return null;
    }
  }

  /** Holds the place until the user scrolls, or some time after its row has come. */
  #untilUsed() {
    const former = this.#hold;
    this.#hold = null;
    former?.abort();
    const hold = (this.#hold = holdScroll(this.#list, () => this.#target(), HOLD));
    hold.signal.addEventListener("abort", () => {
      if (this.#hold !== hold) return;
      this.#hold = null;
      this.#wanted = null;
    });
  }
}
