import assert from "node:assert/strict";
import test from "node:test";
import { shownOf } from "../../Sources/App/Public/js/logic/list.js";
import { initials, placeLines, tint } from "../../Sources/App/Public/js/logic/names.js";
import { dashed, fitPhrase, lineHeight, poster, wrapped } from "../../Sources/App/Public/js/logic/phrase.js";
import { clock, lengthText, recordingName } from "../../Sources/App/Public/js/logic/time.js";
import { loudness, outline, peaks, pooled } from "../../Sources/App/Public/js/logic/waveform.js";

test("A list with rows is shown whatever else is said; without rows the reason is", () => {
  const state = { isLoading: false, phase: "loaded", isEmpty: false, noMatch: null, needsKey: false };
  assert.equal(shownOf({ ...state, phase: "failed", noMatch: "none" }, [1]), "list");
  assert.equal(shownOf({ ...state, noMatch: "Nobody is called x" }, []), "none");
  assert.equal(shownOf({ ...state, needsKey: true, isEmpty: true }, []), "key");
  assert.equal(shownOf({ ...state, isEmpty: true }, []), "empty");
  assert.equal(shownOf({ ...state, phase: "failed" }, []), "failed");
});

test("A list that loads again after a failure is loading", () => {
  assert.equal(shownOf({ isLoading: true, phase: "failed" }, []), "loading");
  assert.equal(shownOf({ isLoading: false, phase: "idle" }, []), "loading");
});

test("A length that no clip has, or that nobody knows, is told as the command line tells it", () => {
  assert.deepEqual([0, -1, NaN, Infinity, 359_999.5, 9.3e18, 1e300].map(lengthText), Array(7).fill("–:––"));
  assert.deepEqual([0.3, 8.77, 359_999.4].map(lengthText), ["0:00", "0:09", "99:59:59"]);
  assert.equal(clock(1e300), "–:––");
});

test("Seconds are told as clocks tell them", () => {
  assert.deepEqual([0, 5.4, 65, 760, 3723, -1, NaN, Infinity].map(clock), ["0:00", "0:05", "1:05", "12:40", "1:02:03", "0:00", "0:00", "0:00"]);
});

test("A length is told to the nearest second, half a second upwards", () => {
  assert.deepEqual([8.49, 8.5, 8.77, 59.5, 3599.5].map(clock), ["0:08", "0:09", "0:09", "1:00", "1:00:00"]);
});

test("A poster has the largest letters that fill it, breaks no word that need not be, and ends what is too long", () => {
  const measure = (/** @type {string} */ text, /** @type {number} */ size) => text.length * size * 0.5;
  const box = { width: 900, height: 1000, least: 24, most: 360 };
  const short = poster("No.", box, measure);
  assert.deepEqual([short.size, short.lines], [360, ["No."]]);
  const long = poster("word ".repeat(60).trim(), box, measure);
  assert.ok(long.size < 120 && long.lines.every((line) => measure(line, long.size) <= 900));
  assert.ok(long.lines.length * long.size * lineHeight(long.size) > 800, "it fills the height");
  const even = poster("one two three four five", box, measure);
  assert.deepEqual(even.lines.join(" "), "one two three four five");
  assert.deepEqual(poster("x".repeat(14), box, measure).lines, ["x".repeat(14)], "whole, if smaller");
  assert.ok(poster("x".repeat(40), box, measure).lines.length > 1, "not whole, if tiny");
  const book = poster("word ".repeat(4000), box, measure);
  assert.ok(book.size === 24 && book.lines.at(-1)?.endsWith("…") && book.lines.length * 24 * lineHeight(24) <= 1000);
});

test("A recording is named after its minute and its type", () => {
  const now = new Date(2026, 0, 5, 9, 7);
  assert.equal(recordingName("audio/mp4", now), "recording-2026-01-05-0907.m4a");
  assert.equal(recordingName("audio/x", now), "recording-2026-01-05-0907.webm");
});

test("Initials are those of the first and the last name", () => {
  assert.deepEqual(["Marcia da Silva", " ana ", "élan vital", "", "😀 b"].map(initials), ["MS", "A", "ÉV", "", "😀B"]);
});

test("A name keeps its tint, and there are six of them", () => {
  assert.equal(tint("Marcia"), tint("Marcia"));
  for (const name of ["", "a", "Zoë", "😀"]) assert.ok(tint(name) >= 0 && tint(name) < 6);
});

test("The lines of a place lose their space, and the empty ones", () => {
  assert.deepEqual(placeLines(" Memorial \n\n Porto, RS\n"), ["Memorial", "Porto, RS"]);
  assert.deepEqual(placeLines(null), []);
});

test("The longer a phrase, the smaller it stands", () => {
  assert.deepEqual([60, 61, 141, 401].map((length) => fitPhrase("x".repeat(length))), ["huge", "large", "medium", "small"]);
});

test("A phrase is wrapped at words, and a word that is too wide in itself", () => {
  const measure = (/** @type {string} */ text) => text.length;
  assert.deepEqual(wrapped("one two three", 7, measure), ["one two", "three"]);
  assert.deepEqual(wrapped("abcdefghij k", 4, measure), ["abcd", "efgh", "ij k"]);
  assert.deepEqual(wrapped("", 4, measure), []);
});

test("The peaks of a sound are hundredths of its loudest part; silence has none", () => {
  const samples = new Float32Array(400);
  samples.fill(0.1, 0, 200);
  samples.fill(-0.2, 200, 400);
  assert.deepEqual(peaks(samples, 4), [50, 50, 100, 100]);
  assert.deepEqual(peaks(new Float32Array(8), 2), [0, 0]);
});

test("Fewer bars are as high as the highest of those they stand for", () => {
  assert.deepEqual(pooled([1, 9, 2, 3], 2), [9, 3]);
  assert.deepEqual(pooled([1, 2], 5), [1, 2]);
});

test("The outline of a waveform stays within its height", () => {
  assert.equal(outline([0, 100, 250], 30, 20), "M5.0 9.3v1.5M15.0 2.0v16.0M25.0 2.0v16.0");
});

test("Loudness is heard in ratios: silence is nothing, full strength everything", () => {
  assert.equal(loudness(new Float32Array(16)), 0);
  assert.equal(loudness(new Float32Array(16).fill(1)), 1);
  assert.ok(Math.abs(loudness(new Float32Array(16).fill(0.0316)) - 0.5) < 0.01);
});

test("Who says a phrase is told after a dash, however the remote has it", () => {
  for (const text of ["- me", "– me", "-me", "— me"]) assert.equal(dashed(text), "— me");
  assert.equal(dashed("me - you"), "me - you");
});
