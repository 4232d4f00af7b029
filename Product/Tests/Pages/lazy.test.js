// Modules are loaded when they are first needed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Latest, Lazy } from "../../Sources/App/Public/js/logic/lazy.js";

test("a lazy value is loaded once, however often it is asked for, and not before", async () => {
  let loads = 0;
  const lazy = new Lazy(async () => (loads += 1));
  assert.equal(lazy.isReady, false);
  assert.throws(() => lazy.value);
  await Promise.all([lazy.load(), lazy.load()]);
  await lazy.load();
  assert.equal(loads, 1);
  assert.equal(lazy.isReady, true);
  assert.equal(lazy.value, 1);
});

test("after a failure the next call loads again", async () => {
  let loads = 0;
  const lazy = new Lazy(async () => {
    loads += 1;
    if (loads === 1) throw new Error("no server");
    return "here";
  });
  await assert.rejects(lazy.load());
  assert.equal(lazy.isReady, false);
  await lazy.load();
  assert.equal(lazy.value, "here");
});

test("with all values ready, an act is carried out at once", async () => {
  const lazy = new Lazy(async () => 1);
  await lazy.load();
  let acts = 0;
  new Latest().when([lazy], () => (acts += 1), () => assert.fail());
  assert.equal(acts, 1);
});

test("an act that is overtaken is left out, whether its values come or fail", async () => {
  /** @type {Record<string, () => void>} */
  const release = {};
  const slow = new Lazy(() => new Promise((resolve) => (release.slow = () => resolve(1))));
  const broken = new Lazy(() => new Promise((_, reject) => (release.broken = () => reject(new Error("no server")))));
  /** @type {string[]} */
  const done = [];
  const latest = new Latest();
  const first = latest.when([slow], () => done.push("slow"), () => done.push("slow failed"));
  const second = latest.when([broken], () => done.push("broken"), () => done.push("broken failed"));
  latest.when([], () => done.push("last"), () => done.push("last failed"));
  release.slow();
  release.broken();
  await Promise.all([first, second]);
  assert.deepEqual(done, ["last"]);
});

test("a value that cannot be loaded is told to the act that waits for it", async () => {
  const broken = new Lazy(() => Promise.reject(new Error("no server")));
  let failures = 0;
  await new Latest().when([broken], () => assert.fail(), () => (failures += 1));
  assert.equal(failures, 1);
});

test("an act that throws has failed", async () => {
  /** @type {unknown[]} */
  const errors = [];
  await new Latest().when([], () => {
    throw new Error("broken");
  }, (error) => errors.push(error));
  assert.equal(errors.length, 1);
});
