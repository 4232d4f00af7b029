import assert from "node:assert/strict";
import test from "node:test";
import { Attempts } from "../../Sources/App/Public/js/logic/attempts.js";

/** The storage of a tab. */
function tab() {
  const values = new Map();
  return { get: (name) => values.get(name) ?? null, set: (name, value) => (value === null ? values.delete(name) : values.set(name, value)), values };
}

test("An attempt keeps its key while its outcome is not known, also when the page is loaded again", () => {
  const kept = tab();
  const first = new Attempts("7", kept).begin("1500", "a");
  assert.match(first.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(new Attempts("7", kept).begin("1500", "a"), first);
  assert.equal(new Attempts("8", kept).last, null);
});

test("After its outcome is known the same payment is another one", () => {
  const kept = tab();
  const attempts = new Attempts("7", kept);
  const first = attempts.begin("1500", "a");
  attempts.end();
  assert.equal(attempts.last, null);
  assert.equal(kept.values.size, 0);
  const second = attempts.begin("1500", "a");
  assert.notEqual(second.id, first.id);
  assert.deepEqual(second.doubts, []);
});

test("Another amount or card is another payment, which names those whose outcomes are not known", () => {
  const attempts = new Attempts("7", tab());
  const first = attempts.begin("1500", "a");
  const second = attempts.begin("1600", "a");
  const third = attempts.begin("1600", "b");
  assert.equal(new Set([first.id, second.id, third.id]).size, 3);
  assert.deepEqual(third.doubts, [first.id, second.id]);
  attempts.end();
  assert.deepEqual(attempts.begin("1600", "b").doubts, []);
});

test("A key has the form that the server reads where the browser makes none", (context) => {
  Object.defineProperty(crypto, "randomUUID", { value: undefined, configurable: true });
  context.after(() => Reflect.deleteProperty(crypto, "randomUUID"));
  assert.match(new Attempts("7", tab()).begin("1", "a").id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("What a tab kept and cannot be read is none", () => {
  const kept = tab();
  kept.set("paying.7", "{");
  assert.equal(new Attempts("7", kept).last, null);
});
