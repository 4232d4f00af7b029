/**
 * Files that are dragged onto an element: `mark` is told while they are above it, `drop` which were let go, where
 * `takes` says that any are taken.
 */
export class FileDrop {
  /** @param {Event} event */
  #hold = (event) => event.preventDefault();

  /**
   * @param {HTMLElement} element
   * @param {{ takes?: () => boolean, mark: (isOver: boolean) => void, drop: (files: File[]) => void }} options
   */
  constructor(element, { takes = () => true, mark, drop }) {
    for (const kind of /** @type {const} */ (["dragenter", "dragover"])) {
      element.addEventListener(kind, (event) => {
        if (!event.dataTransfer?.types.includes("Files") || !takes()) return;
        event.preventDefault();
        mark(true);
      });
    }
    element.addEventListener("dragleave", (event) => element.contains(/** @type {Node | null} */ (event.relatedTarget)) || mark(false));
    element.addEventListener("drop", (event) => {
      event.preventDefault();
      mark(false);
      drop([...(event.dataTransfer?.files ?? [])]);
    });
  }

  /** From here on a file that misses the element does not replace the page. */
  start() {
    for (const kind of ["dragover", "drop"]) addEventListener(kind, this.#hold);
  }

  stop() {
    for (const kind of ["dragover", "drop"]) removeEventListener(kind, this.#hold);
  }
}
