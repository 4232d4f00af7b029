import { caretBehind, digitsOf } from "../logic/mask.js";

/**
 * Keeps a field's text in its mask. `digits(text)` finds what counts in it, `draw(digits, isDeleting)` is how it
 * looks; the caret stays behind the same digit. Call `redraw()` when the mask itself has changed.
 *
 * @param {HTMLInputElement} input
 * @param {{ digits: (text: string) => string, draw: (digits: string, isDeleting: boolean) => string, changed: () => void }} mask
 */
export function masked(input, { digits, draw, changed }) {
  /**
   * @param {string} value
   * @param {number} behind
   * @param {boolean} isDeleting
   */
  const write = (value, behind, isDeleting) => {
    const text = draw(value, isDeleting);
    if (input.value !== text) input.value = text;
    if (document.activeElement !== input) return;
    const at = caretBehind(text, behind, isDeleting);
    input.setSelectionRange(at, at);
  };
  input.addEventListener("beforeinput", (event) => {
    // Deleting a separator means the digit beside it.
    const { selectionEnd: end, value } = input;
    const at = input.selectionStart ?? 0;
    const back = event.inputType === "deleteContentBackward" && at === end && /\D/.test(value[at - 1] ?? "0");
    if (!back) return;
    event.preventDefault();
    const before = digitsOf(value.slice(0, at)).slice(0, -1);
    write(before + digitsOf(value.slice(at)), before.length, true);
    changed();
  });
  input.addEventListener("input", (event) => {
    // A field that is filled in by the browser has an event that is no InputEvent.
    const isDeleting = event instanceof InputEvent && event.inputType.startsWith("delete");
    const at = input.selectionStart ?? 0;
    const typed = digitsOf(input.value);
    const behind = digitsOf(input.value.slice(0, at)).length;
    const value = digits(input.value);
    // A zero set before a lone month moves the caret along with it.
    write(value, behind + Math.max(0, at === input.value.length ? value.length - typed.length : 0), isDeleting);
    changed();
  });
  return {
    redraw() {
      const behind = digitsOf(input.value.slice(0, input.selectionStart ?? 0)).length;
      write(digits(input.value), behind, false);
    },
  };
}
