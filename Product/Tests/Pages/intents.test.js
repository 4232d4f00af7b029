import assert from "node:assert/strict";
import test from "node:test";
import { IntentQueue } from "../../Sources/App/Public/js/logic/intent-queue.js";

/** A queue over a server that answers when it is told to. */
function line() {
  const sent = [];
  const answers = [];
  let emptied = 0;
  const queue = new IntentQueue((message) => new Promise((resolve) => {
    sent.push(message);
    answers.push(resolve);
  }), () => (emptied += 1));
  return { queue, sent, emptied: () => emptied, answer: async (arrived = true) => {
    answers.shift()(arrived);
    await new Promise(setImmediate);
  } };
}

test("An intent is sent at once, the next one after its answer", async () => {
  const { queue, sent, answer } = line();
  queue.add({ intent: "appear" }, null);
  queue.add({ intent: "refresh" }, null);
  assert.deepEqual(sent.map(({ intent }) => intent), ["appear"]);
  await answer();
  assert.deepEqual(sent.map(({ intent }) => intent), ["appear", "refresh"]);
});

test("Each one learns whether it arrived", async () => {
  const { queue, answer } = line();
  const both = [queue.add({ intent: "send" }, null), queue.add({ intent: "retry" }, null)];
  await answer(false);
  await answer(true);
  assert.deepEqual(await Promise.all(both), [false, true]);
});

test("Of what is typed in one field only the last waits", async () => {
  const { queue, sent, answer } = line();
  for (const digits of ["7", "79", "790"]) queue.add({ intent: "amount", digits }, "amount");
  await answer();
  await answer();
  assert.deepEqual(sent.map(({ digits }) => digits), ["7", "790"]);
});

test("Those who typed what was replaced learn of the last one", async () => {
  const { queue, answer } = line();
  queue.add({ intent: "amount", digits: "7" }, "amount");
  const replaced = queue.add({ intent: "amount", digits: "79" }, "amount");
  const last = queue.add({ intent: "amount", digits: "790" }, "amount");
  await answer();
  await answer(true);
  assert.deepEqual([await replaced, await last], [true, true]);
});

test("What is typed in two fields replaces only its own", async () => {
  const { queue, sent, answer } = line();
  queue.add({ intent: "appear" }, null);
  queue.add({ intent: "amount", digits: "7" }, "amount");
  queue.add({ intent: "code", value: "1" }, "code");
  queue.add({ intent: "amount", digits: "79" }, "amount");
  for (let turn = 0; turn < 3; turn += 1) await answer();
  assert.deepEqual(sent.slice(1), [{ intent: "amount", digits: "79" }, { intent: "code", value: "1" }]);
});

test("What follows an act, such as a payment, is never moved before it", async () => {
  const { queue, sent, answer } = line();
  queue.add({ intent: "appear" }, null);
  queue.add({ intent: "amount", digits: "7" }, "amount");
  queue.add({ intent: "pay", digits: "7" }, null);
  queue.add({ intent: "amount", digits: "8" }, "amount");
  for (let turn = 0; turn < 4; turn += 1) await answer();
  assert.deepEqual(sent.map(({ intent, digits }) => [intent, digits]),
    [["appear", undefined], ["amount", "7"], ["pay", "7"], ["amount", "8"]]);
});

test("It is empty, and says so, once everything was answered", async () => {
  const { queue, emptied, answer } = line();
  assert.equal(queue.isEmpty, true);
  queue.add({ intent: "appear" }, null);
  queue.add({ intent: "refresh" }, null);
  let isSettled = false;
  queue.settle().then(() => (isSettled = true));
  await answer();
  assert.deepEqual([queue.isEmpty, emptied(), isSettled], [false, 0, false]);
  await answer();
  assert.deepEqual([queue.isEmpty, emptied(), isSettled], [true, 1, true]);
});
