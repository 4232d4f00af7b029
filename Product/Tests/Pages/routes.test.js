import assert from "node:assert/strict";
import test from "node:test";
import { contactId, routeOf } from "../../Sources/App/Public/js/logic/routes.js";
import { bearer, decide, tokenIn } from "../../Sources/App/Public/js/logic/token.js";

const named = (path, search = "") => routeOf(path, search).name;

test("Each page has its address", () => {
  const pages = {
    "/": "feed", "/feed/a1": "comments", "/feed/a1/picture": "picture", "/contacts": "contacts", "/pay/17": "payment", "/cards": "cards", "/cards/new": "cardForm",
    "/payments": "payments", "/foaas": "foaas", "/foaas/operations": "operations", "/foaas/operations/off": "preview",
    "/foaas/settings": "foaasSettings", "/audio": "audio", "/audio/new": "compose", "/outbox": "outbox", "/drive": "drive",
    "/drive/new": "driveCreate", "/drive/9xQe": "driveAccount", "/inspector": "inspector",
  };
  for (const [path, name] of Object.entries(pages)) assert.equal(named(path), name, path);
});

test("An address that is none is not found: too much, too little, a contact that is no number", () => {
  for (const path of ["/nothing", "/feed/", "/feed/a/b", "/pay/ana", "/pay/1234567890123456789", "//", "/contacts//"]) {
    assert.equal(named(path), "notFound", path);
  }
});

test("The id of a page is decoded; a page without one has an empty id", () => {
  assert.equal(routeOf("/foaas/operations/%2Foff%2F%3Aname", "").id, "/off/:name");
  assert.equal(routeOf("/drive/new", "").id, "");
});

test("An id that cannot be decoded is an address that is not found", () => {
  for (const path of ["/feed/%", "/drive/%E0%A4%A", "/foaas/operations/%zz"]) assert.equal(named(path), "notFound", path);
});

test("A slash at the end of an address makes no difference", () => {
  const pages = { "/drive/": "drive", "/contacts/": "contacts", "/cards/new/": "cardForm", "/": "feed" };
  for (const [path, name] of Object.entries(pages)) assert.equal(named(path), name, path);
  assert.equal(routeOf("/pay/17/", "").id, "17");
});

test("The query goes with the page", () => {
  assert.equal(routeOf("/cards/new", "?pay=17").query.get("pay"), "17");
});

test("Only a number of at most 18 digits is a contact", () => {
  assert.equal(contactId("17"), "17");
  for (const text of [null, "", "1a", "../cards", "1234567890123456789"]) assert.equal(contactId(text), null);
});

test("The token stands behind the hash of the printed link, and goes into a header", () => {
  assert.equal(tokenIn("#token=abc-123"), "abc-123");
  assert.equal(tokenIn("#other=1&token=abc"), "abc");
  for (const hash of ["", "#", "#token=", "#abc"]) assert.equal(tokenIn(hash), null);
  assert.deepEqual(bearer("abc"), { Authorization: "Bearer abc" });
  assert.deepEqual(bearer(null), {});
});

test("A link takes the place of a token that lets in nobody or the same user, and asks before it makes somebody another user", () => {
  const [ana, bruno, one] = [{ name: "ana" }, { name: "bruno" }, { name: null }];
  assert.equal(decide(null, ana), "take");
  assert.equal(decide(ana, { name: "ana" }), "take");
  assert.equal(decide(one, { name: null }), "take");
  assert.equal(decide(ana, bruno), "ask");
  for (const known of [ana, one, null]) assert.equal(decide(known, null), "refuse");
});
