import assert from "node:assert/strict";
import test from "node:test";
import { detailOf, judged } from "../../Sources/App/Public/js/logic/refused.js";

test("The server's own refusal tells its error", async () => {
  assert.deepEqual(await detailOf(Response.json({ error: { kind: "noLink" } }, { status: 401 })), { kind: "noLink" });
});

test("A page of a proxy tells nothing", async () => {
  for (const body of ["<html>Bad gateway</html>", "", "null", "{}", '{"error":null}']) assert.equal(await detailOf(new Response(body, { status: 502 })), undefined);
});

test("A refusal that did not arrive whole is no refusal that tells nothing", async () => {
  const cut = new ReadableStream({ start: (body) => body.error(new Error("the connection broke")) });
  assert.equal(await detailOf(new Response(cut, { status: 401 })), null);
});

test("A 401 signs out, unless its reason did not arrive: then it is no answer", () => {
  assert.deepEqual(judged(401, { kind: "noLink" }), { status: 401, kind: "noLink", isSignedOut: true });
  assert.deepEqual(judged(401, undefined), { status: 401, kind: "store", isSignedOut: true });
  assert.deepEqual(judged(401, null), { status: 0, kind: "connectivity", isSignedOut: false });
});

test("A proxy whose servers are gone is no answer of the server", () => {
  for (const status of [502, 503, 504]) {
    for (const detail of [undefined, null]) assert.deepEqual(judged(status, detail), { status: 0, kind: "gateway", isSignedOut: false });
    assert.deepEqual(judged(status, { kind: "starting" }), { status, kind: "starting", isSignedOut: false });
  }
});

test("Any other refusal keeps its status, also if its words are lost", () => {
  for (const detail of [undefined, null]) assert.deepEqual(judged(409, detail), { status: 409, kind: "store", isSignedOut: false });
});
