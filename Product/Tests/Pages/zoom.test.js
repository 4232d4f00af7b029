import assert from "node:assert/strict";
import test from "node:test";
import { MOST, fileName, gesture, heldAt, limited } from "../../Sources/App/Public/js/logic/zoom.js";

test("A picture is never smaller than the window, and never larger than the limit", () => {
  for (const [wanted, size] of [[0, 1], [-3, 1], [1.5, 1.5], [99, MOST], [NaN, 1], [Infinity, 1]]) assert.equal(limited(wanted), size);
});

test("The point under the finger stays there while the picture grows and shrinks", () => {
  // The point at 100 of the window is the point 400 of the picture; at twice the size that is its point 800.
  assert.equal(heldAt(300, 100, 2), 700);
  assert.equal(heldAt(700, 100, 0.5), 300);
  assert.equal(heldAt(0, 100, 0.5), 0, "there is nothing before the beginning");
});

test("A finger that goes sideways turns the page, the other way for the one before", () => {
  const from = { x: 200, y: 300, time: 0 };
  assert.equal(gesture(from, { x: 120, y: 310, time: 100 }), "next");
  assert.equal(gesture(from, { x: 280, y: 290, time: 100 }), "previous");
});

test("A finger that goes down, a little, or across turns nothing; one that stays and leaves soon has tapped", () => {
  const from = { x: 200, y: 300, time: 0 };
  for (const [x, y] of [[200, 400], [170, 300], [140, 400]]) assert.equal(gesture(from, { x, y, time: 100 }), null);
  assert.equal(gesture(from, { x: 203, y: 301, time: 120 }), "tap");
  assert.equal(gesture(from, { x: 203, y: 301, time: 900 }), null);
});

test("A file is named after its place, without what systems forbid, and with the ending of its type", () => {
  assert.equal(fileName("Serra dos Órgãos", "image/jpeg"), "Serra dos Órgãos.jpg");
  assert.equal(fileName("../a/b:c?\u0000\u202egnp", "image/png"), "a b c gnp.png");
  assert.equal(fileName("...", "image/webp"), "picture.webp");
  assert.equal(fileName("x".repeat(200), "image/avif").length, 65);
  assert.equal(fileName("a", "text/html"), "a.jpg");
});
