import assert from "node:assert/strict";
import test from "node:test";
import { inView } from "../../Sources/App/Public/js/logic/in-view.js";

/** A list whose rows come into view, and rest, when the test says so. */
function list() {
  /** @type {string[][]} */
  const told = [];
  /** @type {IntersectionObserverCallback} */
  let look = () => {};
  /** @type {() => void} */
  let resting = () => {};
  /** @type {Element[]} */
  const observed = [];
  const eye = inView((ids) => told.push(ids), (callback) => {
    look = callback;
    return { observe: (row) => observed.push(row), unobserve: (row) => observed.splice(observed.indexOf(row), 1) };
  }, (run) => (resting = run));
  const rows = ["a", "b", "c"].map((id) => /** @type {[Element, string]} */ (/** @type {unknown} */ ([{ id }, id])));
  const move = (/** @type {number[]} */ places, isIntersecting = true) => look(
    places.map((place) => /** @type {IntersectionObserverEntry} */ ({ target: rows[place][0], isIntersecting })), /** @type {IntersectionObserver} */ ({}));
  return { told, eye, rows, observed, move, rest: () => resting() };
}

test("What is in view is told once the list rests, in the order of the rows, and only when it changes", () => {
  const { told, eye, rows, move, rest } = list();
  eye.follow(rows);
  move([1, 0]);
  assert.deepEqual(told, []);
  rest();
  rest();
  assert.deepEqual(told, [["a", "b"]]);
  move([2]);
  move([0], false);
  rest();
  assert.deepEqual(told.at(-1), ["b", "c"]);
  eye.again();
  rest();
  assert.equal(told.length, 3);
});

test("A row that is gone is not looked at any more, and nothing in view is nothing to tell", () => {
  const { told, eye, rows, observed, move, rest } = list();
  eye.follow(rows);
  move([0, 1]);
  rest();
  eye.follow(rows.slice(1));
  rest();
  assert.deepEqual([told.at(-1), observed.length], [["b"], 2]);
  eye.follow([]);
  rest();
  assert.deepEqual([told.length, observed.length], [2, 0]);
});
