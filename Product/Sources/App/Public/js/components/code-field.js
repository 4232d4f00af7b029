import { h, setText } from "../dom.js";
import { t } from "../i18n.js";
import { digitsOf } from "../logic/mask.js";
import { fieldError } from "./form.js";

/** The code on the back of a card. It is typed for each payment, masked, and never saved. */
export class CodeField {
  #label;
  #hint;
  /** Its form tells what is wrong. */
  error;
  /** @type {HTMLInputElement} */
  #input;
  #length = 3;
  element;

  /**
   * @param {string} id
   * @param {(code: string) => void} changed hears what is typed
   * @param {() => void} entered hears the Enter key
   */
  constructor(id, changed, entered) {
    this.#label = h("label", { class: "field-label", for: id });
    this.#hint = h("p", { class: "field-hint", id: `${id}-hint` });
    this.error = fieldError(`${id}-error`, "code-error");
    this.#input = h("input", {
      id, class: "field-input code-input", type: "text", inputmode: "numeric", autocomplete: "cc-csc", spellcheck: "false", enterkeyhint: "done",
      "aria-describedby": `${id}-hint ${id}-error`, "data-test": "code",
      oninput: () => {
        this.#input.value = digitsOf(this.#input.value).slice(0, this.#length);
        changed(this.#input.value);
      },
      onkeydown: (event) => event.key === "Enter" && !event.isComposing && (event.preventDefault(), entered()),
    });
    this.element = h("div", { class: "field code-field" },
      h("div", { class: "code-words" }, this.#label, this.#hint), this.#input, this.error);
  }

  get input() {
    return this.#input;
  }

  get value() {
    return this.#input.value;
  }

  get isComplete() {
    return this.#input.value.length === this.#length;
  }

  /** @param {number} length of the codes of such cards */
  draw(length) {
    this.#length = length;
    this.#input.maxLength = length;
    this.#input.placeholder = "CVV";
    setText(this.#label, t("pay.code"));
    setText(this.#hint, t(length === 4 ? "pay.code.front" : "pay.code.back", { length }));
  }

  /** @param {boolean} locked */
  set isLocked(locked) {
    this.#input.readOnly = locked;
  }

  clear() {
    this.#input.value = "";
  }

  focus() {
    this.#input.focus({ preventScroll: true });
  }
}
