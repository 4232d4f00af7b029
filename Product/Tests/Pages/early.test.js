import assert from "node:assert/strict";
import test from "node:test";
import { addressOf, firstRequest, keyOf, streamHeaders } from "../../Sources/App/Public/js/logic/early.js";

const page = { path: "/", search: "", hash: "", isCarried: false, tab: "t1", language: "pt-BR", token: "secret" };

test("A page asks for the states of its first screen as the screen itself would", () => {
  const first = firstRequest(page);
  assert.equal(first?.url, addressOf("/api/screens/feed/events", {}, "t1", "pt-BR"));
  assert.equal(first?.url, "/api/screens/feed/events?tab=t1&lang=pt-BR");
  assert.deepEqual(first?.headers, streamHeaders({ "Aquifer-Appear": "load" }, { Authorization: "Bearer secret" }));
  assert.deepEqual(first?.headers, { "Aquifer-Appear": "load", Accept: "text/event-stream", Authorization: "Bearer secret" });
});

test("A window over the feed needs the states of the feed first", () => {
  for (const path of ["/feed/1", "/feed/1/picture"]) assert.match(firstRequest({ ...page, path })?.url ?? "", /screens\/feed\/events/);
});

test("Each app asks for its own states", () => {
  for (const name of ["contacts", "foaas", "audio", "drive", "inspector"]) {
    assert.ok(firstRequest({ ...page, path: `/${name}` })?.url.startsWith(`/api/screens/${name}/events?`), name);
  }
});

test("Nothing is asked for early when the page may say something else", () => {
  const others = { "another screen": { path: "/cards" }, "no screen": { path: "/nowhere" }, "a link with a token": { hash: "#token=new" },
    "a page that was loaded again": { isCarried: true }, "a tab without a name": { tab: null } };
  for (const [name, other] of Object.entries(others)) assert.equal(firstRequest({ ...page, ...other }), null, name);
});

test("A request is the same if its address and all its headers are, in any order", () => {
  assert.equal(keyOf("/a", { One: "1", Two: "2" }), keyOf("/a", { Two: "2", One: "1" }));
  for (const other of [keyOf("/b", { One: "1" }), keyOf("/a", { One: "2" }), keyOf("/a", {})]) assert.notEqual(keyOf("/a", { One: "1" }), other);
});

test("Without a token no header shows one", () => {
  for (const token of [null, ""]) assert.deepEqual(firstRequest({ ...page, token })?.headers, { "Aquifer-Appear": "load", Accept: "text/event-stream" });
});
