/** Masks format digits while they are typed. The model validates the digits. */

const digitsOf = (text) => text.replace(/\D/g, "");

/** `4111 1111`: a space at each gap. */
export function grouped(digits, gaps) {
  return [...digits].map((digit, index) => (gaps.includes(index) ? ` ${digit}` : digit)).join("");
}

/** `1`, `12/`, `12/2`, `12/29`; a slash that was deleted does not come back by itself. */
export function dated(digits, isDeleting = false) {
  if (digits.length > 2) return `${digits.slice(0, 2)}/${digits.slice(2, 4)}`;
  return digits.length === 2 && !isDeleting ? `${digits}/` : digits;
}

/** The digits of an expiry as people and browsers write it: `1/29`, `01/2029`, `5`. */
export function expiryDigits(text) {
  const whole = /^\s*(\d{1,2})\s*[/.-]\s*(?:20)?(\d{2})\s*$/.exec(text) ?? /^\s*(\d{2})20(\d{2})\s*$/.exec(text);
  if (whole) return whole[1].padStart(2, "0") + whole[2];
  const month = /^\s*(\d)\s*[/.-]\s*$/.exec(text);
  if (month) return `0${month[1]}`;
  const digits = digitsOf(text);
  return (/^[2-9]/.test(digits) ? `0${digits}` : digits).slice(0, 4);
}

/** `7990` → `R$ 79,90`, for the moment until the model's own text is there. */
export function money(digits) {
  const padded = digits.padStart(3, "0");
  return `R$\u00a0${padded.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ".")},${padded.slice(-2)}`;
}

/**
 * Keeps a field's text in its mask. `digits(text)` finds what counts in it, `draw(digits, isDeleting)` is how it
 * looks; the caret stays behind the same digit. Call `redraw()` when the mask itself has changed.
 */
export function masked(input, { digits, draw, changed }) {
  const write = (value, behind, isDeleting) => {
    const text = draw(value, isDeleting);
    if (input.value !== text) input.value = text;
    if (document.activeElement !== input) return;
    let at = 0;
    for (let seen = 0; at < text.length && seen < behind; at += 1) if (/\d/.test(text[at])) seen += 1;
    // Behind the separator, where the next digit will stand.
    while (!isDeleting && at < text.length && /\D/.test(text[at])) at += 1;
    input.setSelectionRange(at, at);
  };
  input.addEventListener("beforeinput", (event) => {
    // Deleting a separator means the digit beside it.
    const { selectionStart: at, selectionEnd: end, value } = input;
    const back = event.inputType === "deleteContentBackward" && at === end && /\D/.test(value[at - 1] ?? "0");
    if (!back) return;
    event.preventDefault();
    const before = digitsOf(value.slice(0, at)).slice(0, -1);
    const left = before + digitsOf(value.slice(at));
    write(left, before.length, true);
    changed(left);
  });
  input.addEventListener("input", (event) => {
    const isDeleting = event.inputType?.startsWith("delete") ?? false;
    const at = input.selectionStart;
    const typed = digitsOf(input.value);
    const behind = digitsOf(input.value.slice(0, at)).length;
    const value = digits(input.value);
    // A zero set before a lone month moves the caret along with it.
    write(value, behind + Math.max(0, at === input.value.length ? value.length - typed.length : 0), isDeleting);
    changed(value);
  });
  return {
    redraw() {
      const at = input.selectionStart ?? 0;
      const behind = digitsOf(input.value.slice(0, at)).length;
      write(digits(input.value), behind, false);
    },
  };
}
