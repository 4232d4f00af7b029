/** The most bytes of a text that are shown. */
export const TEXT_LIMIT = 64 * 1024;

/**
 * The text that bytes begin with; null if they are none. A letter that is cut at the end is left out.
 *
 * @param {Uint8Array} bytes
 * @param {boolean} isWhole
 * @returns {string | null}
 */
export function textOf(bytes, isWhole) {
  const part = bytes.subarray(0, TEXT_LIMIT);
  // Text has line ends and tabs, and no other signs that control a machine.
  if (part.some((byte) => byte < 32 && ![9, 10, 12, 13, 27].includes(byte))) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(part, { stream: !isWhole || part.length < bytes.length });
  } catch {
    return null;
  }
}

/** The letters before the ending that stay with it, and the longest ending. */
const TAIL = 6;
const ENDING = 12;

/**
 * A name that fits: what is too much of it is left out before its ending, which tells what it is.
 *
 * @param {string} name
 * @param {(name: string) => boolean} fits
 */
export function clamped(name, fits) {
  if (fits(name)) return name;
  const letters = [...name];
  const dot = letters.lastIndexOf(".");
  const ending = dot > 0 && letters.length - dot <= ENDING ? letters.length - dot : 0;
  const tail = letters.slice(-(ending + TAIL)).join("");
  const most = letters.length - ending - TAIL;
  let [shortest, longest] = [1, Math.max(1, most - 1)];
  while (shortest < longest) {
    const middle = Math.ceil((shortest + longest) / 2);
    if (fits(`${letters.slice(0, middle).join("")}…${tail}`)) shortest = middle;
    else longest = middle - 1;
  }
  return `${letters.slice(0, shortest).join("")}…${tail}`;
}
