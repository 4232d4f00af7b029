import assert from "node:assert/strict";
import test from "node:test";
import { Lacking } from "../../Sources/App/Public/js/logic/lacking.js";

const HOUR = 3_600_000;

test("A picture that is lacking is known for a day, also by the next page", () => {
  const first = new Lacking(null);
  first.add("/a", 0);
  const next = new Lacking(first.text);
  assert.equal(next.has("/a", 23 * HOUR), true);
  assert.equal(next.has("/a", 24 * HOUR), false);
  assert.equal(next.has("/b", HOUR), false);
});

test("A clock that went back asks again", () => {
  const lacking = new Lacking(null);
  lacking.add("/a", HOUR);
  assert.equal(lacking.has("/a", 0), false);
});

test("A text that is none is no error", () => {
  for (const text of ["", "{}", "null", "[1", "[[1,2],[\"/a\",\"x\"],3]".replace(",3", "")]) assert.equal(new Lacking(text).has("/a", 0), false, text);
});

test("Of many, the oldest are asked for again", () => {
  const lacking = new Lacking(null);
  for (let n = 0; n < 600; n += 1) lacking.add(`/${n}`, n);
  assert.equal(lacking.has("/99", 600), false);
  assert.equal(lacking.has("/599", 600), true);
  assert.equal(JSON.parse(lacking.text).length, 500);
});
