import { pictureOf } from "./download.js";
import { h, setText } from "../dom.js";
import { dashed, fitPhrase, lineHeight, poster } from "../logic/phrase.js";

/** A phrase and its subtitle, which are in English: `draw(phrase)`; nothing yet is drawn as bars. */
export function phraseText() {
  const message = h("span", { class: "phrase-message", lang: "en", dir: "auto", "data-test": "phrase-message" });
  const subtitle = h("span", { class: "phrase-subtitle", lang: "en", dir: "auto", "data-test": "phrase-subtitle" });
  const bars = h("span", { class: "phrase-bars", "aria-hidden": "true", "data-test": "skeleton" }, h("span"), h("span"), h("span"));
  const element = h("span", { class: "phrase-text" }, bars, message, subtitle);
  element.dataset.size = "huge";
  /** @param {Wire.Phrase | null} phrase */
  const draw = (phrase) => {
    bars.hidden = Boolean(phrase);
    message.hidden = subtitle.hidden = !phrase;
    if (!phrase) return;
    const isNew = message.textContent !== phrase.message;
    setText(message, phrase.message);
    setText(subtitle, dashed(phrase.subtitle));
    element.dataset.size = fitPhrase(phrase.message);
    if (isNew && element.dataset.live === undefined) {
      // Begins the entrance anew.
      message.getAnimations().forEach((animation) => { animation.cancel(); animation.play(); });
    }
  };
  return { element, draw };
}

/** The picture is as high as people's streams of pictures show one whole. */
const [WIDTH, HEIGHT, MARGIN] = [1080, 1350, 96];
/** The letters of who says it, and the room that they have, above the margin. */
const [SIGNED, SIGNATURE] = [40, 150];

/**
 * The phrase as a PNG: a poster in the colours of an element, which the words fill.
 *
 * @param {Wire.Phrase} phrase
 * @param {HTMLElement} element
 */
export async function phrasePicture({ message, subtitle }, element) {
  const style = getComputedStyle(element);
  /** @param {string} name */
  const color = (name) => {
    // Resolves light-dark() and the like: a canvas takes plain colours only.
    const probe = h("span", {});
    probe.style.color = `var(${name})`;
    element.append(probe);
    const resolved = getComputedStyle(probe).color;
    probe.remove();
    return resolved;
  };
  const canvas = h("canvas");
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const paint = canvas.getContext("2d");
  if (!paint) throw new Error("this browser cannot draw");
  /** @param {number} weight */
  const letters = (weight) => (/** @type {string} */ text, /** @type {number} */ size) => {
    paint.font = `${weight} ${size}px ${style.fontFamily}`;
    // Large letters stand closer, as they do on the page.
    /** @type {{ letterSpacing?: string }} */ (paint).letterSpacing = `${(size > 60 ? -0.03 : -0.01) * size}px`;
    return paint.measureText(text).width;
  };
  const box = { width: WIDTH - 2 * MARGIN, height: HEIGHT - 2 * MARGIN - (subtitle ? SIGNATURE : 0), least: 24, most: 360 };
  const said = poster(message, box, letters(800));
  const by = poster(dashed(subtitle), { width: box.width, height: 2.6 * SIGNED, least: 24, most: SIGNED }, letters(500));
  paint.fillStyle = color("--phrase-ground");
  paint.fillRect(0, 0, WIDTH, HEIGHT);
  paint.textBaseline = "alphabetic";
  /**
   * @param {{ size: number, lines: string[] }} set
   * @param {number} weight
   * @param {string} ink
   * @param {number} top
   */
  const draw = ({ size, lines }, weight, ink, top) => {
    letters(weight)("", size);
    paint.fillStyle = color(ink);
    lines.forEach((line, index) => paint.fillText(line, MARGIN, top + size * (0.78 + index * lineHeight(size))));
  };
  draw(said, 800, "--phrase-ink", MARGIN);
  draw(by, 500, "--phrase-muted", HEIGHT - MARGIN - by.size * (0.98 + (by.lines.length - 1) * lineHeight(by.size)));
  return pictureOf(canvas);
}
