/** Masks format digits while they are typed. The model validates the digits. */

/** @param {string} text */
export const digitsOf = (text) => text.replace(/\D/g, "");

/**
 * `4111 1111`: a space at each gap.
 *
 * @param {string} digits
 * @param {number[]} gaps
 */
export function grouped(digits, gaps) {
  return [...digits].map((digit, index) => (gaps.includes(index) ? ` ${digit}` : digit)).join("");
}

/**
 * `1`, `12/`, `12/2`, `12/29`; a slash that was deleted does not come back by itself.
 *
 * @param {string} digits
 * @param {boolean} isDeleting
 */
export function dated(digits, isDeleting = false) {
  if (digits.length > 2) return `${digits.slice(0, 2)}/${digits.slice(2, 4)}`;
  return digits.length === 2 && !isDeleting ? `${digits}/` : digits;
}

/**
 * The digits of an expiry as people and browsers write it: `1/29`, `01/2029`, `2029-01`, `5`.
 *
 * @param {string} text
 */
export function expiryDigits(text) {
  const whole = /^\s*(\d{1,2})\s*[/.-]\s*(?:20)?(\d{2})\s*$/.exec(text) ?? /^\s*(\d{2})20(\d{2})\s*$/.exec(text);
  if (whole) return whole[1].padStart(2, "0") + whole[2];
  // The form of HTML for `cc-exp`, which some browsers and keepers of passwords fill in.
  const month = /^\s*20(\d{2})[/-]?(0[1-9]|1[0-2])\s*$/.exec(text);
  if (month) return month[2] + month[1];
  const alone = /^\s*(\d)\s*[/.-]\s*$/.exec(text);
  if (alone) return `0${alone[1]}`;
  const digits = digitsOf(text);
  return (/^[2-9]/.test(digits) ? `0${digits}` : digits).slice(0, 4);
}

/**
 * The place of the caret behind so many digits of a masked text: behind the separator, too, where the next digit will
 * stand, unless something is deleted.
 *
 * @param {string} text
 * @param {number} digits
 * @param {boolean} isDeleting
 */
export function caretBehind(text, digits, isDeleting) {
  let at = 0;
  for (let seen = 0; at < text.length && seen < digits; at += 1) if (/\d/.test(text[at])) seen += 1;
  while (!isDeleting && at < text.length && /\D/.test(text[at])) at += 1;
  return at;
}
