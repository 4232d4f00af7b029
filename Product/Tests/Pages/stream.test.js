import assert from "node:assert/strict";
import test from "node:test";
import { eventParser } from "../../Sources/App/Public/js/logic/event-parser.js";

function heard() {
  const events = [];
  const errors = [];
  return { events, errors, take: eventParser((name, text) => events.push([name, text]), (error) => errors.push(error)) };
}

test("An event is told at the empty line that ends it, and not before", () => {
  const { events, take } = heard();
  take("event: state\ndata: {}\n");
  assert.deepEqual(events, []);
  take("\n");
  assert.deepEqual(events, [["state", "{}"]]);
});

test("Wherever the stream is cut, the events are the same", () => {
  const stream = "event: state\ndata: {\"a\":1}\n\n: still here\n\nevent: state\ndata: first\ndata: second\n\ndata: plain\n\n";
  const whole = [["state", '{"a":1}'], ["state", "first\nsecond"], ["message", "plain"]];
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const { events, take } = heard();
    take(stream.slice(0, cut));
    take(stream.slice(cut));
    assert.deepEqual(events, whole, `cut at ${cut}`);
  }
  const { events, take } = heard();
  for (const sign of stream) take(sign);
  assert.deepEqual(events, whole);
});

test("A comment that keeps the connection open is no event", () => {
  const { events, take } = heard();
  take(": alive\n\n: alive\n\n");
  assert.deepEqual(events, []);
});

test("A page that cannot draw a state hears the next one all the same", () => {
  const events = [];
  const errors = [];
  const take = eventParser((name, text) => {
    if (text === "bad") throw new Error("cannot draw");
    events.push(text);
  }, (error) => errors.push(error));
  take("data: bad\n\ndata: good\n\n");
  assert.deepEqual([events, errors.length], [["good"], 1]);
});
