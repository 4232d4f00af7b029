/**
 * The text size of a phrase, by its length.
 *
 * @param {string} text
 */
export function fitPhrase(text) {
  return text.length > 400 ? "small" : text.length > 140 ? "medium" : text.length > 60 ? "large" : "huge";
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
