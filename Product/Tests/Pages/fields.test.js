import assert from "node:assert/strict";
import test from "node:test";
import { amountAfter, amountDigits, money } from "../../Sources/App/Public/js/logic/amount.js";
import { known } from "../../Sources/App/Public/js/logic/files.js";
import { caretBehind, dated, expiryDigits, grouped } from "../../Sources/App/Public/js/logic/mask.js";

test("An amount grows from the right as digits are typed", () => {
  let digits = "";
  const seen = ["7", "9", "9", "0"].map((digit) => money((digits = amountAfter(digits, "insertText", digit) ?? "")).replace("\u00a0", " "));
  assert.deepEqual(seen, ["R$ 0,07", "R$ 0,79", "R$ 7,99", "R$ 79,90"]);
});

test("An amount shrinks from the right, whichever key deletes", () => {
  assert.equal(amountAfter("7990", "deleteContentBackward", null), "799");
  assert.equal(amountAfter("7990", "deleteContentForward", null), "799");
  assert.equal(amountAfter("", "deleteContentBackward", null), "");
});

test("Leading zeros, signs and more than eleven digits are no part of an amount", () => {
  assert.equal(amountDigits("R$ 00.079,90"), "7990");
  assert.equal(amountDigits("123456789012345"), "12345678901");
  assert.equal(amountAfter("7", "insertText", "x"), "7");
  assert.equal(amountAfter("", "insertText", "0"), "");
});

test("An edit of another kind is left to the browser", () => {
  assert.equal(amountAfter("7", "insertFromDrop", "5"), null);
  assert.equal(amountAfter("7", "historyUndo", null), null);
});

test("Thousands have their dots", () => {
  assert.equal(money("12345678901"), "R$\u00a0123.456.789,01");
  assert.equal(money("100000"), "R$\u00a01.000,00");
  assert.equal(money(""), "R$\u00a00,00");
});

test("The digits of a card stand in its groups", () => {
  assert.equal(grouped("4111111111111111", [4, 8, 12]), "4111 1111 1111 1111");
  assert.equal(grouped("378282246310005", [4, 10]), "3782 822463 10005");
  assert.equal(grouped("4111", [4]), "4111");
});

test("A date gets its slash while it is typed, and loses it for good while it is deleted", () => {
  assert.deepEqual(["1", "12", "122", "1229"].map((digits) => dated(digits)), ["1", "12/", "12/2", "12/29"]);
  assert.equal(dated("12", true), "12");
});

test("An expiry is read as people and browsers write it", () => {
  const written = { "1/29": "0129", "01/29": "0129", "01/2029": "0129", "012029": "0129", "1-29": "0129", "5": "05", "1/": "01", "12": "12", "12299": "1229", "2029-01": "0129", "202912": "1229", "2029/12 ": "1229" };
  for (const [text, digits] of Object.entries(written)) assert.equal(expiryDigits(text), digits, text);
});

test("The caret stays behind the same digit, and behind the separator where the next one will stand", () => {
  assert.equal(caretBehind("4111 1111", 4, false), 5);
  assert.equal(caretBehind("4111 1111", 4, true), 4);
  assert.equal(caretBehind("4111 1111", 5, false), 6);
  assert.equal(caretBehind("12/", 2, false), 3);
  assert.equal(caretBehind("12", 9, false), 2);
});

test("A file is known under its name, however the browser spells its signs", () => {
  const list = [{ name: "caf\u00e9.txt" }, { name: "a.txt" }];
  const files = [{ name: "cafe\u0301.txt" }, { name: "b.txt" }, { name: "a.txt" }];
  assert.deepEqual(known(files, list), [files[0], files[2]]);
});
