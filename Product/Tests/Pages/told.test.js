import assert from "node:assert/strict";
import test from "node:test";
import { SOON, Told, Wish, endWish } from "../../Sources/App/Public/js/logic/told.js";

test("A field that is being typed in is called wrong only if nothing that follows can mend it", () => {
  const told = new Told();
  assert.equal(told.text("16 digits", ""), "");
  assert.equal(told.text("16 digits", "a digit is wrong"), "a digit is wrong");
});

test("A field that is left is called wrong, until it is typed in again", () => {
  const told = new Told();
  told.left("4242");
  assert.equal(told.text("16 digits", ""), "16 digits");
  told.edited();
  assert.equal(told.text("16 digits", ""), "");
});

test("An empty field is missed only when the form is to be sent", () => {
  const told = new Told();
  told.left("  ");
  assert.equal(told.text("Enter it", ""), "");
  told.missed();
  assert.equal(told.text("Enter it", ""), "Enter it");
});

test("A wish waits until everything is heard, however long that takes", () => {
  let now = 0;
  const wish = new Wish(() => now);
  wish.begin();
  now = 100 * SOON;
  assert.equal(wish.isOpen, true);
});

test("A wish ends soon after everything was heard: nothing is sent later by surprise", () => {
  let now = 50;
  const wish = new Wish(() => now);
  assert.equal(wish.isOpen, false);
  wish.begin();
  wish.heard();
  now += SOON;
  wish.heard();
  assert.equal(wish.isOpen, true);
  now += 1;
  assert.equal(wish.isOpen, false);
  wish.begin();
  assert.equal(wish.isOpen, true);
});

test("What is typed ends a wish", () => {
  const wish = new Wish(() => 0);
  wish.begin();
  wish.end();
  assert.equal(wish.isOpen, false);
});

test("A wish can be ended without knowing whose it is; one that is over is none", () => {
  let now = 50;
  const wish = new Wish(() => now);
  assert.equal(endWish(), false);
  wish.begin();
  assert.deepEqual([endWish(), wish.isOpen, endWish()], [true, false, false]);
  wish.begin();
  wish.heard();
  now += SOON + 1;
  assert.equal(endWish(), false);
});
