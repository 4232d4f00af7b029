/** @param {number} number */
const two = (number) => String(number).padStart(2, "0");

/**
 * To the nearest second, half a second upwards, as the command line tells it too: a length is the same wherever it stands.
 *
 * @param {number} seconds
 */
export const wholeSeconds = (seconds) => Math.max(0, Math.round(Number.isFinite(seconds) ? seconds : 0));

/**
 * A length as the command line tells it (`AudioClip.durationText`): `0:05`, `12:40`; `–:––` if it is not known, or is none that a clip has.
 *
 * @param {number} seconds
 */
export const lengthText = (seconds) => (seconds > 0 && seconds < BOUND ? clock(seconds) : UNKNOWN);

/**
 * A position: `0:05`, `12:40`, `1:02:03`, by `wholeSeconds`; `–:––` beyond all lengths.
 *
 * @param {number} seconds
 */
export function clock(seconds) {
  if (seconds >= BOUND && Number.isFinite(seconds)) return UNKNOWN;
  const whole = wholeSeconds(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** From here on the nearest second has three digits of hours. */
const BOUND = 359_999.5;
const UNKNOWN = "–:––";

/** @type {Record<string, string>} */
const ENDINGS = { "audio/webm": "webm", "audio/mp4": "m4a", "audio/ogg": "ogg" };

/**
 * `recording-2026-11-21-0942.webm`
 *
 * @param {string} type
 * @param {Date} now
 */
export function recordingName(type, now = new Date()) {
  const stamp = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}-${two(now.getHours())}${two(now.getMinutes())}`;
  return `recording-${stamp}.${ENDINGS[type] ?? "webm"}`;
}
