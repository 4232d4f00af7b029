import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, stepOf } from "../../Sources/App/Public/js/logic/replay.js";
import { routeOf } from "../../Sources/App/Public/js/logic/routes.js";

test("an address names a step, or none", () => {
  assert.equal(stepOf("?replay=12"), 12);
  for (const search of ["", "?replay=", "?replay=0", "?replay=-1", "?replay=1.5", "?replay=1e3", "?replay=1234567890", "?replays=1"]) {
    assert.equal(stepOf(search), null, search);
  }
});

test("each screen of a step has a page of its own, which knows what the screen shows", () => {
  const screens = {
    feed: "feed", comments: "comments", contacts: "contacts", payment: "payment", cards: "cards", "card-form": "cardForm",
    payments: "payments", foaas: "foaas", "foaas-operations": "operations", "foaas-preview": "preview",
    "foaas-settings": "foaasSettings", audio: "audio", "audio-compose": "compose", outbox: "outbox", drive: "drive",
    "drive-create": "driveCreate", "drive-account": "driveAccount",
  };
  for (const [screen, name] of Object.entries(screens)) {
    const subject = screen === "payment" ? "7" : "a/b ü$&";
    const url = new URL(addressOf({ step: 3, screen, subject }), "http://127.0.0.1");
    const route = routeOf(url.pathname, url.search);
    assert.equal(route.name, name, screen);
    if (["comments", "payment", "foaas-preview", "drive-account"].includes(screen)) assert.equal(route.id, subject);
    assert.equal(stepOf(url.search), 3);
  }
});
