/**
 * Tells whether the end of a list is near: less than a window below what is seen. An observer may tell of several changes at once;
 * the last one is how it is now.
 *
 * @param {Element} end
 * @param {(isNear: boolean) => void} tell
 * @param {(look: IntersectionObserverCallback) => Pick<IntersectionObserver, "observe">} [observer]
 */
export function nearEnd(end, tell, observer = (look) => new IntersectionObserver(look, { rootMargin: "0px 0px 100% 0px" })) {
  observer((entries) => tell(entries.at(-1)?.isIntersecting ?? false)).observe(end);
}
