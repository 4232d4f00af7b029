import assert from "node:assert/strict";
import test from "node:test";
import { harmless } from "../../Sources/App/Public/js/logic/harmless.js";

test("A name that turns the direction of its ending, or hides a part, is shown with a sign there", () => {
  assert.equal(harmless("holiday-\u202egpj.exe"), "holiday-\ufffdgpj.exe");
  for (const sign of ["\u202a", "\u2066", "\u200f", "\u061c", "\u200b", "\ufeff", "\u0007", "\u001b", "\ufffa"]) assert.equal(harmless(`a${sign}${sign}b`), "a\ufffdb");
});

test("What ends a line is a space", () => {
  for (const sign of ["\n", "\r\n", "\t", "\u2028", "\u0085"]) assert.equal(harmless(`a${sign}b`), "a b");
});

test("Plain names, names from right to left, and emoji stay as they are", () => {
  for (const name of ["note.txt", "שלום.txt", "naïve 100%.txt", "\u{1f469}\u200d\u{1f680}.png", "\u2764\ufe0f.png", "1\ufe0f\u20e3.png"]) assert.equal(harmless(name), name);
});

test("A letter keeps eight marks, so that it stays on its line", () => {
  assert.equal(harmless(`e${"\u0301".repeat(40)}`), `e${"\u0301".repeat(8)}`);
});
