import assert from "node:assert/strict";
import test from "node:test";
import { bytes, chosenLanguage, sentence, short } from "../../Sources/App/Public/js/logic/language.js";

test("The chosen language comes before those of the browser", () => {
  assert.equal(chosenLanguage("pt-BR", ["en-US"]), "pt-BR");
  assert.equal(chosenLanguage("en", ["pt-BR"]), "en");
});

test("Without a choice the first wish of the browser that there is decides, whatever its country", () => {
  assert.equal(chosenLanguage(null, ["de-DE", "pt-PT", "en"]), "pt-BR");
  assert.equal(chosenLanguage(null, ["EN-gb", "pt"]), "en");
  assert.equal(chosenLanguage(null, ["de", "fr"]), "en");
  assert.equal(chosenLanguage(null, []), "en");
});

test("A choice that is no language counts as none, also if every object knows its name", () => {
  assert.equal(chosenLanguage("xx", ["pt-BR"]), "pt-BR");
  assert.equal(chosenLanguage("constructor", ["pt-BR"]), "pt-BR");
});

test("Values fill the gaps of a sentence; a gap without a value stays", () => {
  const plurals = new Intl.PluralRules("en");
  assert.equal(sentence("Pay {name} {amount}", { name: "Ana", amount: "R$ 1" }, plurals), "Pay Ana R$ 1");
  assert.equal(sentence("{name} of {place}", { name: "Ana" }, plurals), "Ana of {place}");
  assert.equal(sentence("{percent} %", { percent: 0 }, plurals), "0 %");
});

test("The count chooses the form: its own, that of the language, or the other one", () => {
  const plurals = new Intl.PluralRules("en");
  const files = { "=0": "no file", one: "one file", other: "{count} files" };
  assert.deepEqual([0, 1, 2, 21].map((count) => sentence(files, { count }, plurals)), ["no file", "one file", "2 files", "21 files"]);
  assert.equal(sentence({ other: "{count} files" }, { count: 1 }, plurals), "1 files");
});

test("A count is told digit by digit up to 9999, and in short above", () => {
  const told = (/** @type {string} */ language) => [0, 1, 9999, 10_000, 12_345, 1_250_000].map((count) => short(count, language).replace(/\u00a0/g, " "));
  assert.deepEqual(told("en"), ["0", "1", "9999", "10K", "12.3K", "1.25M"]);
  assert.deepEqual(told("pt-BR"), ["0", "1", "9999", "10 mil", "12,3 mil", "1,25 mi"]);
  assert.ok(short(9223372036854775807, "en").length < 12);
});

test("Bytes are told in the largest unit that leaves a number to read", () => {
  const plain = (/** @type {number} */ count, language = "en") => bytes(count, language).replace(/\u00a0/g, " ");
  assert.deepEqual([0, 1, 1023, 1024, 6880, 14_000, 1_048_525, 1_468_006].map((count) => plain(count)), ["0 B", "1 B", "1023 B", "1 KB", "6.7 KB", "13.7 KB", "1 MB", "1.4 MB"]);
  assert.equal(plain(1_468_006, "pt-BR"), "1,4 MB");
});
