/** The largest size of a picture, in sizes of the window. */
export const MOST = 6;
/** The step of a key or a button. */
export const STEP = 1.5;
/** The size that a double click gives. */
export const CLOSE = 2.5;

/**
 * A size that a picture can have: never smaller than the window.
 *
 * @param {number} scale
 */
export const limited = (scale) => Math.min(MOST, Math.max(1, Number.isFinite(scale) ? scale : 1));

/**
 * The place to scroll to, so that a point of the picture stays under the finger while it grows.
 *
 * @param {number} scroll where it was scrolled to
 * @param {number} point the place of the finger in the window
 * @param {number} ratio the new size in old ones
 */
export const heldAt = (scroll, point, ratio) => Math.max(0, (scroll + point) * ratio - point);

/** @typedef {{ x: number, y: number, time: number }} Touch */

/**
 * Tells what a finger has done: it went sideways, tapped, or neither.
 *
 * @param {Touch} from
 * @param {Touch} to
 * @returns {"previous" | "next" | "tap" | null}
 */
export function gesture(from, to) {
  const [across, down] = [to.x - from.x, to.y - from.y];
  if (Math.hypot(across, down) < 10) return to.time - from.time < 400 ? "tap" : null;
  if (Math.abs(across) < 48 || Math.abs(across) < Math.abs(down) * 1.5) return null;
  return across > 0 ? "previous" : "next";
}

/** @type {Record<string, string>} */
const ENDINGS = { "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp", "image/avif": "avif" };

/**
 * A name for a file, without what some systems forbid in one.
 *
 * @param {string} name
 * @param {string} type the media type
 */
export function fileName(name, type) {
  const plain = name.replace(/[\\/:*?"<>|\p{Cc}\p{Cf}]+/gu, " ").replace(/\s+/g, " ").trim().replace(/^\.+/, "");
  return `${[...plain].slice(0, 60).join("").trim() || "picture"}.${ENDINGS[type] ?? "jpg"}`;
}
