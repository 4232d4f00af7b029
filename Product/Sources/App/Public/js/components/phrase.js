import { download, pictureOf } from "./download.js";
import { h, setText } from "../dom.js";
import { fitPhrase, wrapped } from "../logic/phrase.js";

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
    setText(subtitle, phrase.subtitle);
    element.dataset.size = fitPhrase(phrase.message);
    if (isNew && element.dataset.live === undefined) {
      // Begins the entrance anew.
      message.getAnimations().forEach((animation) => { animation.cancel(); animation.play(); });
    }
  };
  return { element, draw };
}

const WIDTH = 1200;
const MARGIN = 110;

/**
 * Saves the phrase as a PNG, in the colours of an element.
 *
 * @param {Wire.Phrase} phrase
 * @param {HTMLElement} element
 */
export async function savePicture({ message, subtitle }, element) {
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
  const size = { huge: 120, large: 92, medium: 62, small: 36 }[fitPhrase(message)];
  const canvas = h("canvas");
  const paint = canvas.getContext("2d");
  if (!paint) throw new Error("this browser cannot draw");
  const fonts = [`800 ${size}px ${style.fontFamily}`, `500 ${Math.max(34, size * 0.42)}px ${style.fontFamily}`];
  const sets = [message, subtitle].map((text, index) => {
    paint.font = fonts[index];
    return wrapped(text, WIDTH - 2 * MARGIN, (line) => paint.measureText(line).width);
  });
  const heights = [size * 1.12, Math.max(34, size * 0.42) * 1.4];
  const height = Math.max(1200, 2 * MARGIN + sets[0].length * heights[0] + 60 + sets[1].length * heights[1]);
  canvas.width = WIDTH;
  canvas.height = height;
  paint.fillStyle = color("--phrase-ground");
  paint.fillRect(0, 0, WIDTH, height);
  paint.textBaseline = "top";
  let y = MARGIN;
  for (const [index, set] of sets.entries()) {
    paint.font = fonts[index];
    paint.fillStyle = color(index ? "--phrase-muted" : "--phrase-ink");
    for (const line of set) {
      paint.fillText(line, MARGIN, y);
      y += heights[index];
    }
    y += 60;
  }
  download(await pictureOf(canvas), "phrase.png");
}
