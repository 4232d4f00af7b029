/** In milliseconds: a list that is scrolled through is not asked about at each step. */
const REST = 150;

/**
 * Tells which rows somebody looks at, once the list rests: `tell(ids)`, whenever these are others than before.
 *
 * @param {(ids: string[]) => void} tell
 * @param {(look: IntersectionObserverCallback) => Pick<IntersectionObserver, "observe" | "unobserve">} observer
 * @param {(run: () => void) => void} rest runs what it is given last, after a rest
 */
export function inView(tell, observer = (look) => new IntersectionObserver(look), rest = resting()) {
  /** @type {Map<Element, string>} */
  const names = new Map();
  /** @type {Set<Element>} */
  const seen = new Set();
  let told = "";
  const look = () => {
    const ids = [...names].filter(([row]) => seen.has(row)).map(([, id]) => id);
    const key = ids.join("\n");
    if (key === told) return;
    told = key;
    if (ids.length > 0) tell(ids);
  };
  const eye = observer((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && names.has(target)) seen.add(target);
      else seen.delete(target);
    }
    rest(look);
  });
  return {
    /**
     * The rows of the list, in their order.
     *
     * @param {[Element, string][]} rows
     */
    follow(rows) {
      const now = new Set(rows.map(([row]) => row));
      for (const row of names.keys()) {
        if (now.has(row)) continue;
        eye.unobserve(row);
        seen.delete(row);
      }
      const before = new Set(names.keys());
      names.clear();
      for (const [row, id] of rows) {
        names.set(row, id);
        if (!before.has(row)) eye.observe(row);
      }
      rest(look);
    },
    /** Tells again, to somebody who may not have heard it. */
    again() {
      told = "";
      rest(look);
    },
  };
}

function resting() {
  let timer = 0;
  return (/** @type {() => void} */ run) => {
    clearTimeout(timer);
    timer = setTimeout(run, REST);
  };
}
