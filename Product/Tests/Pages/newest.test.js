import assert from "node:assert/strict";
import test from "node:test";
import { Newest } from "../../Sources/App/Public/js/logic/newest.js";

test("Of the values that come together, only the newest is told", async () => {
  const told = [];
  const newest = new Newest((value) => told.push(value), assert.fail);
  for (const value of ["saved", "loading", "loaded"]) newest.tell(value);
  assert.deepEqual(told, []);
  await null;
  assert.deepEqual(told, ["loaded"]);
});

test("Values that come one after the other are all told, the same ones too", async () => {
  const told = [];
  const newest = new Newest((value) => told.push(value), assert.fail);
  for (const value of ["a", "b", "b"]) {
    newest.tell(value);
    await null;
  }
  assert.deepEqual(told, ["a", "b", "b"]);
});

test("A value that cannot be drawn does not keep the next one away", async () => {
  const told = [];
  const errors = [];
  const newest = new Newest((value) => {
    if (value === "bad") throw new Error("cannot draw");
    told.push(value);
  }, (error) => errors.push(error.message));
  newest.tell("bad");
  await null;
  newest.tell("good");
  await null;
  assert.deepEqual([told, errors], [["good"], ["cannot draw"]]);
});
