import { h, setText } from "../dom.js";
import { Told, Wish } from "../logic/told.js";

/**
 * A part of a form that can be wrong: a field, or what else has to be chosen.
 *
 * @typedef {object} Part
 * @property {HTMLElement} input gets the focus if this is the first wrong part
 * @property {HTMLElement} error the place of its error
 * @property {() => string | null | undefined} problem the error as the part stands; nothing if it is right
 * @property {() => string} [text] what was typed, if it is not the text of the field, which then may be drawn anew
 * @property {() => string | null | undefined} [certain] the error that nothing can mend that is typed after it
 */

/**
 * True for what can be typed in.
 *
 * @param {HTMLElement} input
 * @returns {input is HTMLInputElement | HTMLTextAreaElement}
 */
const isField = (input) => input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement;

let isPressed = false;
addEventListener("pointerdown", () => (isPressed = true), { capture: true });
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (isPressed = false), { capture: true });

/**
 * Does it now, or once what is pressed was released: an error that came between the press of a button and its release would move the button
 * away.
 *
 * @param {() => void} run
 */
function afterPress(run) {
  if (!isPressed) return run();
  const end = new AbortController();
  const released = () => {
    end.abort();
    // The click comes first.
    setTimeout(run);
  };
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, released, { signal: end.signal });
}

/**
 * The errors of a form. Every form of the pages tells them by this: beside their fields, when a field is left, at Enter and at the
 * button. The focus then goes to the first of them. The button is never dead: it says what is missing.
 */
export class Form {
  /** @type {(Part & { told: Told })[]} */
  #parts;
  #wish = new Wish();
  #options;
  /** @type {HTMLElement | null} */
  #led = null;
  #send;
  /** The texts of the fields when it was to be sent. */
  #wished = "";
  /** True from the first time that it was to be sent and was not ready, until it begins anew. */
  wasMissed = false;

  /**
   * @param {Part[]} parts in the order in which they stand
   * @param {object} options
   * @param {() => boolean} options.isHeard true if the model has heard all that was typed
   * @param {() => boolean} options.isReady true if it can be sent
   * @param {() => void} [options.tell] says again what was typed and did not arrive
   * @param {() => void} options.send
   * @param {() => boolean} [options.isBusy] true while it is being sent
   */
  constructor(parts, options) {
    this.#options = options;
    this.#send = options.send;
    this.#parts = parts.map((part) => ({ ...part, told: new Told() }));
    for (const { input, told, text } of this.#parts) {
      if (!isField(input)) continue;
      input.addEventListener("input", () => this.edited(input));
      input.addEventListener("blur", () => afterPress(() => {
        told.left(text ? text() : input.value);
        this.draw();
      }));
    }
  }

  /**
   * Something was typed in a field, or chosen.
   *
   * @param {HTMLElement} input
   */
  edited(input) {
    this.#parts.find((part) => part.input === input)?.told.edited();
    this.#wish.end();
    this.draw();
  }

  /** The user wants to send it, or to do something else with it: a button, or Enter. */
  attempt(send = this.#options.send) {
    if (this.#options.isBusy?.()) return;
    this.#wish.begin();
    this.#send = send;
    this.#led = null;
    this.#wished = this.#texts;
    if (!this.#options.isHeard()) this.#options.tell?.();
    this.#try();
  }

  get #texts() {
    return JSON.stringify(this.#parts.map(({ input, text }) => (isField(input) && !text ? input.value : null)));
  }

  /** A state has come, or everything was heard. */
  answered() {
    this.#try();
    this.draw();
  }

  /** Nothing is sent that was asked for before. */
  forgetWish() {
    this.#wish.end();
  }

  /** No part is called wrong, until it is left or missed again. */
  reset() {
    this.#wish.end();
    this.wasMissed = false;
    for (const { told } of this.#parts) told.edited();
    this.draw();
  }

  #try() {
    const { isHeard, isReady } = this.#options;
    if (!this.#wish.isOpen || !isHeard()) return;
    // A state has put another text in a field: that is not what was to be sent.
    if (this.#texts !== this.#wished) return this.#wish.heard();
    if (isReady()) {
      this.#wish.end();
      return this.#send();
    }
    this.#wish.heard();
    this.wasMissed = true;
    for (const { told } of this.#parts) told.missed();
    this.draw();
    const wrong = this.#parts.find((part) => part.problem())?.input ?? null;
    if (!wrong || wrong === this.#led) return;
    this.#led = wrong;
    wrong.focus({ preventScroll: true });
    wrong.scrollIntoView({ block: "center", behavior: "auto" });
  }

  /** Shows the errors that are to be told. */
  draw() {
    for (const { input, error, problem, certain, told } of this.#parts) {
      const text = told.text(problem() ?? "", certain?.() ?? "");
      setText(error, text);
      error.hidden = text === "";
      if (isField(input)) input.setAttribute("aria-invalid", String(text !== ""));
    }
  }
}

/**
 * Draws the button of a form. It looks alike whether or not it is ready, and is not called unavailable: one that is not can be pressed,
 * and then the form says why. Only while it is being sent can it not be pressed.
 *
 * @param {HTMLElement} button
 * @param {boolean} isReady
 */
export function drawReady(button, isReady, isBusy = false) {
  button.dataset.ready = String(isReady && !isBusy);
  if (isBusy) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
}

/**
 * A labelled field with a place for its error, and for what is written beside it.
 *
 * @param {{ id: string, test?: string, attributes?: Properties, className?: string, hint?: HTMLElement }} options
 */
export function field({ id, test = id, attributes = {}, className = "", hint }) {
  const input = h("input", { id, class: "field-input", type: "text", spellcheck: "false", "aria-describedby": [hint?.id, `${id}-error`].filter(Boolean).join(" "), "data-test": test, ...attributes });
  const label = h("label", { class: "field-label", for: id });
  const error = fieldError(`${id}-error`, `${test}-error`);
  const box = h("div", { class: "field-box" }, input);
  return { input, label, error, box, element: h("div", { class: `field ${className}`.trim() }, label, box, hint, error) };
}

/**
 * The place of an error beside a field.
 *
 * @param {string} id
 * @param {string} test
 */
export const fieldError = (id, test, className = "") => h("p", { class: `field-error ${className}`.trim(), id, role: "status", hidden: true, "data-test": test });
