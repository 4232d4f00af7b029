/** More digits than any amount that may be sent has. */
const LONGEST = 11;

/**
 * The digits of an amount, as cents without leading zeros, in a text that was typed or filled in.
 *
 * @param {string} text
 */
export const amountDigits = (text) => text.replace(/\D/g, "").replace(/^0+/, "").slice(0, LONGEST);

/**
 * The digits after an edit of a field whose digits come in, and go, on the right. Null if the edit is of another kind.
 *
 * @param {string} digits are those in the field; none count if all of them are selected.
 * @param {string} kind is the `inputType` of the event.
 * @param {string | null} data is the text that comes in.
 */
export function amountAfter(digits, kind, data) {
  if (kind === "insertText") return amountDigits(digits + (data ?? ""));
  if (kind === "deleteContentBackward" || kind === "deleteContentForward") return digits.slice(0, -1);
  return null;
}

/**
 * `7990` → `R$ 79,90`, for the moment until the model's own text is there.
 *
 * @param {string} digits
 */
export function money(digits) {
  const padded = digits.padStart(3, "0");
  return `R$\u00a0${padded.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ".")},${padded.slice(-2)}`;
}
