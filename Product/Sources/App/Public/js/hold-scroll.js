/**
 * Keeps the page at a place while its content comes, until the user scrolls, or some time after the place was there first. The signal
 * that is returned ends it, and hears its end.
 *
 * @param {Element} content what grows
 * @param {() => number | null} target the place, in pixels from the top; null while it is not there
 * @param {number} time in milliseconds
 */
export function holdScroll(content, target, time) {
  const hold = new AbortController();
  const { signal } = hold;
  const stop = () => hold.abort();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let end;
  /** Where the page was put last; null before that. */
  let put = /** @type {number | null} */ (null);
  const observer = new ResizeObserver(() => {
    const top = target();
    if (top === null) return;
    // Content that grows later than this was not there before.
    end ??= setTimeout(stop, time);
    if (Math.abs(top - scrollY) >= 1) scrollTo({ top });
    put = scrollY;
  });
  observer.observe(content);
  anchor(1);
  for (const name of ["wheel", "touchstart", "keydown", "pointerdown"]) addEventListener(name, stop, { signal, capture: true, passive: true });
  // A bar that is dragged tells nothing but this: the page is neither where it was put nor where it should be by now.
  addEventListener("scroll", () => {
    const top = put === null ? null : target();
    if (put !== null && top !== null && Math.abs(put - scrollY) > 2 && Math.abs(top - scrollY) > 2) stop();
  }, { signal, passive: true });
  signal.addEventListener("abort", () => {
    observer.disconnect();
    clearTimeout(end);
    anchor(-1);
  });
  return hold;
}

let holds = 0;

/**
 * While a place is held, the browser keeps none by itself: it would follow what stands below the content that comes, to the end of the page.
 *
 * @param {1 | -1} change
 */
function anchor(change) {
  holds += change;
  // The window takes `overflow-anchor` from the body, or from the document if that has an `overflow` of its own.
  for (const element of [document.documentElement, document.body]) element.style.overflowAnchor = holds > 0 ? "none" : "";
}

/**
 * A place that the page can be scrolled to as it is now: the nearest one to this.
 *
 * @param {number} top
 */
export const within = (top) => Math.max(0, Math.min(document.documentElement.scrollHeight - innerHeight, top));
