import assert from "node:assert/strict";
import test from "node:test";
import { PATIENCE, Patience } from "../../Sources/App/Public/js/logic/patience.js";

/** Patience whose time passes when the test says so. */
function waiting() {
  const timers = new Map();
  let [now, last] = [0, 0];
  const patience = new Patience({
    set: (run, time) => {
      timers.set((last += 1), { run, at: now + time });
      return last;
    },
    clear: (timer) => timers.delete(timer),
  });
  const pass = (time) => {
    now += time;
    for (const [timer, { run, at }] of timers) {
      if (at > now) continue;
      timers.delete(timer);
      run();
    }
  };
  return { patience, pass, timers };
}

test("A request without an answer is given up after a while, and not before", () => {
  const { patience, pass } = waiting();
  const signal = patience.begin(true);
  pass(PATIENCE - 1);
  assert.equal(signal.aborted, false);
  pass(1);
  assert.equal(signal.aborted, true);
});

test("A request that has ended is not given up, and the next one has its own time", () => {
  const { patience, pass, timers } = waiting();
  const first = patience.begin(true);
  pass(PATIENCE - 1);
  patience.end();
  assert.equal(timers.size, 0);
  const second = patience.begin(true);
  pass(PATIENCE - 1);
  assert.deepEqual([first.aborted, second.aborted, patience.streamOpened()], [false, false, true]);
  patience.end();
  assert.equal(patience.streamOpened(), false);
});

test("A request is given up with the stream that there was when it was sent", () => {
  const { patience } = waiting();
  const signal = patience.begin(true);
  assert.equal(patience.streamOpened(), true);
  assert.equal(signal.aborted, true);
});

test("A request that was sent while there was no stream is not given up when it comes", () => {
  const { patience } = waiting();
  const signal = patience.begin(false);
  assert.equal(patience.streamOpened(), false);
  assert.equal(signal.aborted, false);
});
