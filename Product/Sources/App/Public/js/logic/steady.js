/** The time in milliseconds that a state lasts if it is worth being drawn. */
const MOMENT = 600;

/** @param {() => void} run */
const afterAMoment = (run) => {
  const timer = setTimeout(run, MOMENT);
  return () => clearTimeout(timer);
};

/**
 * Draws a value as it changes, but nothing that lasts for a moment only: without a connection an item is tried and fails within
 * milliseconds, every few seconds, and its row must not jump each time.
 *
 * @template Value
 * @param {(value: Value) => void} draw
 * @param {(shown: Value, next: Value) => Value | null} instead What is drawn in place of the next value for a moment; null if nothing is.
 * @param {(run: () => void) => () => void} later Runs something after a moment, unless what it returns is called before.
 */
export function steady(draw, instead, later = afterAMoment) {
  /** @type {{ value: Value } | null} */
  let shown = null;
  /** @type {{ value: Value } | null} */
  let latest = null;
  /** @type {(() => void) | null} */
  let stop = null;

  /** @param {Value} value */
  const show = (value) => {
    stop?.();
    stop = null;
    shown = { value };
    draw(value);
  };
  const end = () => latest && show(latest.value);

  return {
    /**
     * The value is this one now.
     *
     * @param {Value} value
     */
    next(value) {
      latest = { value };
      const other = shown && instead(shown.value, value);
      if (!other) return show(value);
      shown = { value: other };
      draw(other);
      stop ??= later(end);
    },
    /**
     * The user has asked for this value: it is drawn at once, for a moment at least, whatever comes of it.
     *
     * @param {Value} value
     */
    ask(value) {
      show(value);
      stop = later(end);
    },
  };
}
