import assert from "node:assert/strict";
import test from "node:test";
import { LOOK_ON, SEARCHES, searched } from "../../Sources/App/Public/js/logic/searched.js";

const feed = (changes) => ({ phase: "loaded", isLoading: false, items: [{}], more: { phase: "idle", message: null }, ...changes });
const more = (phase) => ({ more: { phase, message: null } });

test("An item may still come while the feed, or its next page, is loaded", () => {
  for (const state of [null, feed({ phase: "idle", items: [] }), feed({ isLoading: true }), feed(more("loading"))]) assert.equal(searched(state, 0), "loading");
});

test("The next page is asked for while there is one, at most ten times", () => {
  assert.equal(SEARCHES, 10);
  assert.equal(searched(feed({}), 0), LOOK_ON);
  assert.equal(searched(feed({}), 9), LOOK_ON);
  assert.equal(searched(feed({}), 10), "missing");
});

test("An item is missing at the end of a feed that was loaded, and in one without items", () => {
  assert.equal(searched(feed(more("end")), 1), "missing");
  assert.equal(searched(feed({ items: [] }), 0), "missing");
});

test("Nobody can say whether an item is missing if the feed or its next page could not be loaded", () => {
  assert.equal(searched(feed({ phase: "failed", items: [] }), 0), "failed");
  assert.equal(searched(feed(more("failed")), 1), "failed");
  assert.equal(searched(feed({ phase: "failed", ...more("end") }), 1), "failed");
  assert.equal(searched(feed({ phase: "failed" }), SEARCHES), "failed");
});

test("Saved pages are searched also when the feed could not be loaded", () => {
  assert.equal(searched(feed({ phase: "failed" }), 0), LOOK_ON);
});
