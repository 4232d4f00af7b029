import assert from "node:assert/strict";
import { test } from "node:test";

import { steady } from "../../Sources/App/Public/js/logic/steady.js";

/** An item that waits, or is being sent, with what has happened to it. */
function row() {
  /** @type {string[]} */
  const drawn = [];
  /** @type {Set<() => void>} */
  const timers = new Set();
  const one = steady((/** @type {string} */ value) => drawn.push(value),
    (shown, next) => ((shown === "waiting" && next === "sending") || (shown === "asked" && next === "waiting") ? shown : null),
    (run) => {
      timers.add(run);
      return () => timers.delete(run);
    });
  const moment = () => {
    const due = [...timers];
    timers.clear();
    for (const run of due) run();
  };
  return { one, drawn, timers, moment };
}

test("what passes within a moment is not drawn", () => {
  const { one, drawn, timers, moment } = row();
  for (const value of ["waiting", "sending", "waiting"]) one.next(value);
  moment();
  assert.ok(!drawn.includes("sending"));
  assert.equal(timers.size, 0);
});

test("what lasts is drawn after a moment, however often it is said", () => {
  const { one, drawn, timers, moment } = row();
  for (const value of ["waiting", "sending", "sending", "sending"]) one.next(value);
  assert.equal(timers.size, 1);
  moment();
  assert.equal(drawn.at(-1), "sending");
});

test("every other change is drawn at once, and ends the moment", () => {
  const { one, drawn, timers } = row();
  for (const value of ["waiting", "sending", "refused"]) one.next(value);
  assert.equal(drawn.at(-1), "refused");
  assert.equal(timers.size, 0);
});

test("what the user asks for is drawn at once and for a moment, then what came of it", () => {
  const { one, drawn, moment } = row();
  one.next("waiting");
  one.ask("asked");
  assert.equal(drawn.at(-1), "asked");
  one.next("waiting");
  assert.equal(drawn.at(-1), "asked");
  moment();
  assert.equal(drawn.at(-1), "waiting");
});
