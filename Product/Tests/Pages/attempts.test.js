import assert from "node:assert/strict";
import test from "node:test";
import { Attempts } from "../../Sources/App/Public/js/logic/attempts.js";

/** The storage of a tab. */
function tab() {
  const values = new Map();
  return { get: (name) => values.get(name) ?? null, set: (name, value) => (value === null ? values.delete(name) : values.set(name, value)), values };
}

/** A state of a model. */
const state = (phase, shown = null, over = null) => ({ phase, shown, over });

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
  attempts.follow(state("approved", first.id));
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
  attempts.follow(state("declined", third.id));
  assert.deepEqual(attempts.begin("1600", "b").doubts, []);
});

test("The outcome of another payment, which a model of before still shows, says nothing of an attempt", () => {
  const kept = tab();
  const attempts = new Attempts("7", kept);
  const last = attempts.begin("1500", "a");
  for (const phase of ["approved", "declined", "failed", "unknown", "ready"]) {
    attempts.follow(state(phase, "another"), state("unknown", "another"));
    assert.deepEqual(attempts.last, last);
  }
  assert.deepEqual(new Attempts("7", kept).last, last);
});

test("An attempt that failed, or of which nobody knows, keeps its key; one that was given up does not", () => {
  const attempts = new Attempts("7", tab());
  const { id } = attempts.begin("1500", "a");
  for (const phase of ["failed", "unknown"]) attempts.follow(state(phase, id));
  // Without a state of the same model before it, an empty form says nothing.
  attempts.follow(state("ready"));
  assert.equal(attempts.last?.id, id);
  attempts.follow(state("ready"), state("unknown", id));
  assert.equal(attempts.last, null);
  const next = attempts.begin("1500", "a");
  attempts.follow(state("ready", null, next.id));
  assert.equal(attempts.last, null);
});

test("An earlier attempt is no doubt any more once its outcome was shown", () => {
  const kept = tab();
  const attempts = new Attempts("7", kept);
  const first = attempts.begin("1500", "a");
  const second = attempts.begin("1600", "a");
  const third = attempts.begin("1700", "a");
  attempts.follow(state("approved", first.id));
  assert.deepEqual(new Attempts("7", kept).last, { ...third, doubts: [second.id] });
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
