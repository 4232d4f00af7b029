import assert from "node:assert/strict";
import test from "node:test";
import { fitting, forms } from "../../Sources/App/Public/js/logic/srcset.js";

const SRCSET = "/b?tab=1 800w, /a?tab=1&width=400 400w";

test("The forms of a picture are told from the smallest to the largest", () => {
  assert.deepEqual(forms(SRCSET), [{ src: "/a?tab=1&width=400", width: 400 }, { src: "/b?tab=1", width: 800 }]);
  for (const none of [null, "", "/a", "/a 2x", "/a w"]) assert.deepEqual(forms(none), []);
});

test("A place gets the smallest form that has its pixels", () => {
  for (const [pixels, width] of [[1, 400], [400, 400], [400.5, 800], [800, 800]]) assert.equal(fitting(SRCSET, pixels)?.width, width);
});

test("A place that no form is wide enough for gets none of them", () => {
  assert.equal(fitting(SRCSET, 801), null);
  assert.equal(fitting("/a?tab=1&width=400 400w", 401), null);
});

test("Nothing is chosen from no forms, and for a place that has no width yet", () => {
  assert.equal(fitting(null, 400), null);
  assert.equal(fitting(SRCSET, 0), null);
});
