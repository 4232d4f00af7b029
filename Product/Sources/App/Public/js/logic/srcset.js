/**
 * A form of a picture, and its width in pixels.
 *
 * @typedef {{ src: string, width: number }} Form
 */

/**
 * The forms in an attribute `srcset` with widths, from the smallest to the largest.
 *
 * @param {string | null} text
 * @returns {Form[]}
 */
export function forms(text) {
  const parts = (text ?? "").split(",").map((part) => /^\s*(\S+)\s+(\d+)w\s*$/.exec(part));
  return parts.flatMap((match) => (match ? [{ src: match[1], width: Number(match[2]) }] : [])).sort((a, b) => a.width - b.width);
}

/**
 * The form for a place of this width: the smallest with as many pixels. Null if none has as many, or the place has no width yet: the
 * picture in `src` is for all of these.
 *
 * @param {string | null} text
 * @param {number} pixels
 */
export function fitting(text, pixels) {
  return pixels > 0 ? (forms(text).find(({ width }) => width >= pixels) ?? null) : null;
}
