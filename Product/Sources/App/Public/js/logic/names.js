const TINTS = 6;

/**
 * The first letters of the first and the last name.
 *
 * @param {string} name
 */
export function initials(name) {
  const words = name.trim().split(/\s+/).filter(Boolean);
  return [words[0], words.length > 1 ? words.at(-1) : null].map((word) => [...(word ?? "")][0]?.toUpperCase() ?? "").join("");
}

/**
 * A colour that stays with a name.
 *
 * @param {string} name
 */
export const tint = (name) => [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % TINTS;

/**
 * The lines of a place: its name, and where that is.
 *
 * @param {string | null} location
 */
export const placeLines = (location) => (location ?? "").split("\n").map((line) => line.trim()).filter(Boolean);
