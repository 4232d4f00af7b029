import assert from "node:assert/strict";
import test from "node:test";
import { TEXT_LIMIT, clamped, textOf } from "../../Sources/App/Public/js/logic/preview.js";
import { Rate, timeLeft } from "../../Sources/App/Public/js/logic/rate.js";

/** A transfer that a clock of the test drives: `pass(seconds, bytes)` is its speed then. */
function transfer(total) {
  let [now, done] = [0, 0];
  const rate = new Rate(() => now);
  rate.note(0, total);
  return (seconds, bytes) => {
    now += seconds * 1000;
    done += bytes;
    return rate.note(done, total);
  };
}

test("A steady transfer has its rate and its time after a second, and not before", () => {
  const pass = transfer(10_000);
  assert.equal(pass(0.5, 500), null);
  const speed = pass(0.5, 500);
  assert.equal(Math.round(speed.rate), 1000);
  assert.equal(Math.round(speed.left), 9);
});

test("A stutter moves the rate a little, and a lasting change moves it to the new one", () => {
  const pass = transfer(1_000_000);
  for (let at = 0; at < 5; at += 1) pass(1, 1000);
  const stutter = pass(0.5, 0).rate;
  assert.ok(stutter > 800 && stutter < 1000, String(stutter));
  let speed;
  for (let at = 0; at < 20; at += 1) speed = pass(1, 4000);
  assert.ok(Math.abs(speed.rate - 4000) < 50, String(speed.rate));
});

test("A transfer that stands, is done or begins again tells no rate", () => {
  const standing = transfer(1000);
  assert.equal(standing(5, 0), null);
  const pass = transfer(1000);
  assert.equal(pass(2, 1000), null);
  assert.equal(pass(2, -900), null);
});

test("A time is said in the unit that a person would take, and is never zero", () => {
  assert.deepEqual(timeLeft(0.2), { unit: "seconds", count: 1 });
  assert.deepEqual(timeLeft(59.4), { unit: "seconds", count: 60 });
  assert.deepEqual(timeLeft(61), { unit: "minutes", count: 2 });
  assert.deepEqual(timeLeft(3700), { unit: "hours", count: 2 });
});

const bytes = (text) => new TextEncoder().encode(text);

test("Text is text in any language, and bytes of a program are none", () => {
  assert.equal(textOf(bytes("maré\tbaixa\n"), true), "maré\tbaixa\n");
  assert.equal(textOf(bytes("<script>alert(1)</script>"), true), "<script>alert(1)</script>");
  assert.equal(textOf(new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1]), true), null);
  assert.equal(textOf(new Uint8Array([0xff, 0xfe, 0x41]), true), null);
});

test("A letter that is cut at the end of the first part is left out, and is an error at the end of the whole", () => {
  const cut = bytes("mar\u00e9").subarray(0, 4);
  assert.equal(textOf(cut, false), "mar");
  assert.equal(textOf(cut, true), null);
  const long = bytes(`${"a".repeat(TEXT_LIMIT - 1)}\u00e9`);
  assert.equal(textOf(long, true), "a".repeat(TEXT_LIMIT - 1));
});

test("A name that fits stays whole, and one that does not keeps its beginning and its ending", () => {
  const fits = (text) => [...text].length <= 20;
  assert.equal(clamped("tides.txt", fits), "tides.txt");
  const short = clamped("holiday-in-the-far-north-2024.jpeg", fits);
  assert.equal(short, "holiday-…h-2024.jpeg");
  assert.equal(clamped(`${"W".repeat(80)}.txt`, fits), `${"W".repeat(9)}…${"W".repeat(6)}.txt`);
  assert.equal(clamped("🌊".repeat(40), fits), `${"🌊".repeat(13)}…${"🌊".repeat(6)}`);
  assert.equal(clamped("abcdefghijklmnopqrstuvwxyz", () => false), "a…uvwxyz");
});
