/** The finest height of a row of the grid, in pixels: the most that a card stands lower than the one above it wants. */
const FINEST = 4;
/** The most rows of a grid: browsers have a limit, beyond which cards would lie over each other. */
const MOST = 9000;
/** A phone has one column, in which a card needs no place (`feed.css`): to measure all cards would only keep the first one waiting. */
const phone = matchMedia("(max-width: 44rem)");

/**
 * Cards of different heights in columns, without holes. Each takes as many low rows of a grid as its height needs. The grid gives a card the
 * highest free place that is not above the one before: so the order of the document is the order of the eyes, and of the Tab key.
 */
export class Masonry {
  #grid;
  #unit = FINEST;
  /** @type {Map<HTMLElement, number>} */
  #heights = new Map();
  /** @type {HTMLElement[]} */
  #new = [];
  #observer = new ResizeObserver((entries) => {
    for (const { target, borderBoxSize } of entries) {
      if (!(target instanceof HTMLElement)) continue;
      if (target.isConnected) this.#note(target, borderBoxSize[0].blockSize);
      else this.#forget(target);
    }
    this.#place();
  });

  /** @param {HTMLElement} grid */
  constructor(grid) {
    this.#grid = grid;
    grid.classList.add("masonry");
  }

  /**
   * Takes an element in, before it is in the grid.
   *
   * @template {HTMLElement} Row
   * @param {Row} row
   */
  add(row) {
    this.#new.push(row);
    return row;
  }

  /** Gives the new elements their places, now that they are in the grid: nothing is drawn before it has its place. */
  settle() {
    if (this.#new.length === 0) return;
    const added = this.#new;
    this.#new = [];
    // The observer tells the heights when they are known anyway, also on a phone, which may be turned.
    for (const row of added) this.#observer.observe(row);
    if (phone.matches) return;
    const measured = added.map((row) => /** @type {const} */ ([row, row.getBoundingClientRect().height]));
    for (const [row, height] of measured) this.#note(row, height);
    this.#place();
  }

  /**
   * @param {HTMLElement} row
   * @param {number} height
   */
  #note(row, height) {
    // A page that is not shown has no heights; those of before are good when it comes back.
    if (height === 0) return;
    this.#heights.set(row, height);
    this.#span(row, height);
  }

  /** @param {HTMLElement} row */
  #forget(row) {
    this.#observer.unobserve(row);
    this.#heights.delete(row);
  }

  /** Makes the rows higher when the grid gets too long for its columns, and all cards anew. */
  #place() {
    const columns = Math.max(1, getComputedStyle(this.#grid).gridTemplateColumns.split(" ").length);
    let all = 0;
    for (const height of this.#heights.values()) all += height;
    const unit = Math.max(FINEST, Math.ceil((all / columns) * 1.2 / MOST));
    if (unit === this.#unit) return;
    this.#unit = unit;
    this.#grid.style.setProperty("--row", `${unit}px`);
    for (const [row, height] of this.#heights) this.#span(row, height);
  }

  /**
   * @param {HTMLElement} row
   * @param {number} height
   */
  #span(row, height) {
    row.style.gridRowEnd = `span ${Math.ceil(height / this.#unit)}`;
  }
}
