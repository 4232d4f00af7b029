import assert from "node:assert/strict";
import test from "node:test";

/** As much of a browser as a form needs. */
class Element extends EventTarget {
  value = "";
  hidden = false;
  textContent = "";
  setAttribute() {}
  focus() {}
  scrollIntoView() {}
}

globalThis.HTMLInputElement = Element;
globalThis.HTMLTextAreaElement = class extends Element {};
globalThis.addEventListener = () => {};

const { Form } = await import("../../Sources/App/Public/js/components/form.js");
const { endWish } = await import("../../Sources/App/Public/js/logic/told.js");

/** A form with a field whose text a model has heard. Its state comes when the test says so. */
function form(options = {}) {
  const input = new HTMLInputElement();
  const world = { input, heard: "", isReady: true, sent: [], told: 0 };
  world.type = (text) => {
    input.value = text;
    input.dispatchEvent(new Event("input"));
  };
  world.form = new Form([{ input, error: new Element(), problem: () => (world.isReady ? "" : "wrong"), ...options }], {
    isHeard: () => world.heard === input.value, isReady: () => world.isReady, tell: () => (world.told += 1), send: () => world.sent.push(input.value),
  });
  return world;
}

test("A form is sent once its model has heard what stands there", () => {
  const world = form();
  world.type("200 MB");
  world.form.attempt();
  assert.deepEqual(world.sent, []);
  world.heard = "200 MB";
  world.form.answered();
  assert.deepEqual(world.sent, ["200 MB"]);
});

test("A press is for the texts that stood there: another one, which a state has brought, is not sent", () => {
  const world = form();
  world.heard = "100 MB";
  world.type("200 MB");
  world.form.attempt();
  // The edit is lost. A state writes the text back that the model has.
  world.input.value = "100 MB";
  world.form.answered();
  assert.deepEqual(world.sent, []);
  // The text that was meant comes soon after all.
  world.input.value = world.heard = "200 MB";
  world.form.answered();
  assert.deepEqual(world.sent, ["200 MB"]);
});

test("A field that is drawn anew while it says the same does not hold a form back", () => {
  const world = form({ text: () => "4111" });
  world.heard = "x";
  world.type("4111");
  world.form.attempt();
  world.heard = world.input.value = "41 11";
  world.form.answered();
  assert.deepEqual(world.sent, ["41 11"]);
});

test("Nothing is sent after a connection was lost or the page was left, and it is said whether something was to be sent", () => {
  const world = form();
  world.type("200 MB");
  assert.equal(endWish(), false);
  world.form.attempt();
  assert.equal(endWish(), true);
  world.heard = "200 MB";
  world.form.answered();
  assert.deepEqual(world.sent, []);
  world.form.attempt();
  assert.deepEqual(world.sent, ["200 MB"]);
});

test("A press on a form whose last edit was lost says it again, and no other press does", () => {
  const world = form();
  world.type("200 MB");
  world.form.attempt();
  assert.equal(world.told, 1);
  world.heard = "200 MB";
  world.form.answered();
  assert.deepEqual(world.sent, ["200 MB"]);
  world.form.attempt();
  assert.equal(world.told, 1);
});

test("The wish of one form ends with the press in another one", () => {
  const [first, second] = [form(), form()];
  first.type("a");
  second.type("b");
  first.form.attempt();
  second.form.attempt();
  first.heard = "a";
  second.heard = "b";
  first.form.answered();
  second.form.answered();
  assert.deepEqual([first.sent, second.sent], [[], ["b"]]);
});
