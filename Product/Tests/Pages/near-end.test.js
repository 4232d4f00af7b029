import assert from "node:assert/strict";
import test from "node:test";
import { nearEnd } from "../../Sources/App/Public/js/logic/near-end.js";

test("Of several changes that are told at once the last one counts: it is how it is now", () => {
  const end = /** @type {Element} */ ({});
  /** @type {IntersectionObserverCallback} */
  let look = () => {};
  /** @type {boolean[]} */
  const told = [];
  nearEnd(end, (isNear) => told.push(isNear), (wanted) => {
    look = wanted;
    return { observe: (/** @type {Element} */ element) => assert.equal(element, end) };
  });
  /** @param {boolean[]} changes */
  const change = (...changes) => look(/** @type {IntersectionObserverEntry[]} */ (changes.map((isIntersecting) => ({ isIntersecting }))), /** @type {IntersectionObserver} */ ({}));
  change(true);
  change(false, true);
  change(true, false);
  assert.deepEqual(told, [true, true, false]);
});
