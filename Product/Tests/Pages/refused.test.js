import assert from "node:assert/strict";
import test from "node:test";
import { told } from "../../Sources/App/Public/js/logic/refused.js";

test("The server's own refusal tells its error", async () => {
  assert.deepEqual(await told(Response.json({ error: { kind: "noLink" } }, { status: 401 })), { kind: "noLink" });
});

test("A page of a proxy tells nothing", async () => {
  for (const body of ["<html>Bad gateway</html>", "", "null", "{}"]) assert.equal(await told(new Response(body, { status: 502 })), undefined);
});

test("A refusal that did not arrive whole is told from one that tells nothing", async () => {
  const cut = new ReadableStream({ start: (body) => body.error(new Error("the connection broke")) });
  assert.equal(await told(new Response(cut, { status: 401 })), null);
});
