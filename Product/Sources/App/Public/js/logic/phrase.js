/**
 * The text size of a phrase, by its length.
 *
 * @param {string} text
 */
export function fitPhrase(text) {
  return text.length > 400 ? "small" : text.length > 140 ? "medium" : text.length > 60 ? "large" : "huge";
}

/**
 * The line of who says a phrase, with a dash as books have it: the remote has a hyphen.
 *
 * @param {string} text
 */
export const dashed = (text) => text.replace(/^[-–]\s*/, "— ");

/** The height of a line of a poster, as a multiple of the size of its letters: large letters stand closer. */
export const lineHeight = (/** @type {number} */ size) => (size > 150 ? 1.02 : size > 80 ? 1.08 : size > 48 ? 1.16 : 1.3);

/**
 * The largest letters with which a text fills a box of a poster, and its lines. A word is broken only where it must be: when the
 * letters would have to be smaller than a third of what the rest allows. A text that is too long even for the smallest letters ends
 * with "…".
 *
 * @param {string} text
 * @param {{ width: number, height: number, least: number, most: number }} box
 * @param {(text: string, size: number) => number} measure the width of a text
 */
export function poster(text, { width, height, least, most }, measure) {
  const words = text.split(/\s+/);
  /**
   * @param {number} size
   * @param {boolean} whole
   */
  const fits = (size, whole) => {
    if (whole && words.some((word) => measure(word, size) > width)) return null;
    const lines = wrapped(text, width, (line) => measure(line, size));
    return lines.length * size * lineHeight(size) <= height ? lines : null;
  };
  /** @param {boolean} whole */
  const largest = (whole) => {
    for (let size = most; size >= least; size -= size > 120 ? 4 : 2) {
      const lines = fits(size, whole);
      if (lines) return { size, lines };
    }
    return null;
  };
  const broken = largest(false);
  const whole = largest(true);
  if (whole && broken && whole.size * 3 >= broken.size) return { ...whole, lines: balanced(text, width, whole, measure) };
  if (broken) return broken;
  const room = Math.floor(height / (least * lineHeight(least)));
  const lines = wrapped(text, width, (line) => measure(line, least)).slice(0, room);
  return { size: least, lines: [...lines.slice(0, -1), `${lines.at(-1)?.slice(0, -1) ?? ""}…`] };
}

/**
 * The lines of a text, as even as their number allows.
 *
 * @param {string} text
 * @param {number} width
 * @param {{ size: number, lines: string[] }} fit
 * @param {(text: string, size: number) => number} measure
 */
function balanced(text, width, { size, lines }, measure) {
  let best = lines;
  for (let narrow = width; narrow > width / 2; narrow -= width / 50) {
    if (text.split(/\s+/).some((word) => measure(word, size) > narrow)) break;
    const even = wrapped(text, narrow, (line) => measure(line, size));
    if (even.length > lines.length) break;
    best = even;
  }
  return best;
}

/**
 * A text in lines that are not wider than `most`.
 *
 * @param {string} text
 * @param {number} most
 * @param {(text: string) => number} measure
 */
export function wrapped(text, most, measure) {
  /** @type {string[]} */
  const lines = [];
  let line = "";
  for (const word of text.split(/\s+/).flatMap((word) => pieces(word, most, measure))) {
    const longer = line ? `${line} ${word}` : word;
    if (line && measure(longer) > most) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line ? [...lines, line] : lines;
}

/**
 * A word that is wider than a line, in pieces that are not.
 *
 * @param {string} word
 * @param {number} most
 * @param {(text: string) => number} measure
 */
function pieces(word, most, measure) {
  const found = [];
  let piece = "";
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    if (piece && measure(piece + segment) > most) {
      found.push(piece);
      piece = "";
    }
    piece += segment;
  }
  return [...found, piece];
}
