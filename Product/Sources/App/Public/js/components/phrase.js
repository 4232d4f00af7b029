import { h, setText } from "../dom.js";

/** The text size of a phrase, by its length. */
export function fitPhrase(text) {
  return text.length > 400 ? "small" : text.length > 140 ? "medium" : text.length > 60 ? "large" : "huge";
}

/** A phrase and its subtitle: `draw(phrase)`; nothing yet is drawn as bars. */
export function phraseText() {
  const message = h("span", { class: "phrase-message", dir: "auto", "data-test": "phrase-message" });
  const subtitle = h("span", { class: "phrase-subtitle", dir: "auto", "data-test": "phrase-subtitle" });
  const bars = h("span", { class: "phrase-bars", "aria-hidden": "true", "data-test": "skeleton" }, h("span"), h("span"), h("span"));
  const element = h("span", { class: "phrase-text" }, bars, message, subtitle);
  element.dataset.size = "huge";
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

/** Saves the phrase as a PNG, in the colours of an element. */
export async function savePicture({ message, subtitle }, element) {
  const style = getComputedStyle(element);
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
  const canvas = h("canvas", {});
  let paint = canvas.getContext("2d");
  const fonts = [`800 ${size}px ${style.fontFamily}`, `500 ${Math.max(34, size * 0.42)}px ${style.fontFamily}`];
  const sets = [message, subtitle].map((text, index) => {
    paint.font = fonts[index];
    return lines(paint, text, WIDTH - 2 * MARGIN);
  });
  const heights = [size * 1.12, Math.max(34, size * 0.42) * 1.4];
  const height = Math.max(1200, 2 * MARGIN + sets[0].length * heights[0] + 60 + sets[1].length * heights[1]);
  canvas.width = WIDTH;
  canvas.height = height;
  paint = canvas.getContext("2d");
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
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: "phrase.png" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function lines(paint, text, width) {
  const all = [];
  let line = "";
  for (const word of text.split(/\s+/).flatMap((word) => pieces(paint, word, width))) {
    const longer = line ? `${line} ${word}` : word;
    if (line && paint.measureText(longer).width > width) {
      all.push(line);
      line = word;
    } else line = longer;
  }
  return line ? [...all, line] : all;
}

/** A word that is wider than a line, in pieces that are not. */
function pieces(paint, word, width) {
  const found = [];
  let piece = "";
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    if (piece && paint.measureText(piece + segment).width > width) {
      found.push(piece);
      piece = "";
    }
    piece += segment;
  }
  return [...found, piece];
}
