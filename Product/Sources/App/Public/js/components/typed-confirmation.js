import { drawOnce, h, onEscape, setText } from "../dom.js";
import { t } from "../i18n.js";
import { Form, field } from "./form.js";
import { icon } from "./icon.js";

/**
 * A question that is answered by typing a name: nothing less does it. `ask` opens it.
 *
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.test
 * @param {string} options.typedTest
 * @param {import("./icon.js").Glyph} options.glyph
 * @param {string} options.words is the beginning of the keys of its texts
 * @param {(typed: string) => void} options.onConfirm
 * @param {() => void} options.onClose gives the focus back after nothing was done
 */
export function typedConfirmation({ id, test, typedTest, glyph, words, onConfirm, onClose }) {
  /** @type {{ name?: string | null, stakeText?: string | null, isHidden: boolean, isBusy: boolean }} */
  let state = { name: "", isHidden: true, isBusy: false };
  const warning = h("p", { class: "drive-lock-text" });
  const { label, input: typed, error, element: part } = field({ id: `${id}-typed`, test: typedTest, attributes: { autocomplete: "off", autocapitalize: "off", oninput: () => draw(state) } });
  const confirm = h("button", { class: "button button-danger", type: "submit", "data-test": `${test}-confirm` });
  const cancel = h("button", { class: "button", type: "button", "data-test": `${test}-cancel`, onclick: () => show(false) });
  const form = h("form", { class: "drive-lock", id, novalidate: true, hidden: true, "data-test": `${test}-form` },
    warning, part, h("div", { class: "compose-buttons" }, confirm, cancel));
  const element = h("div", { class: "drive-typed", hidden: true }, form);

  const isConfirmed = () => Boolean(state.name) && typed.value === state.name && !state.isBusy;
  const fields = new Form([{ input: typed, error, problem: () => (isConfirmed() ? "" : t("drive.typed.wrong", { name: state.name })) }], {
    isHeard: () => true, isReady: isConfirmed, isBusy: () => state.isBusy, send: () => {
      onConfirm(typed.value);
      show(false, false);
    },
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    fields.attempt();
  });
  form.addEventListener("keydown", onEscape(() => show(false)));

  /**
   * @param {boolean} isOpen
   * @param {boolean} [givesBack]
   */
  function show(isOpen, givesBack = true) {
    form.hidden = !isOpen;
    typed.value = "";
    fields.reset();
    draw(state);
    if (isOpen) typed.focus();
    else if (givesBack) onClose();
  }

  /** @param {typeof state} now */
  const draw = (now) => {
    state = now;
    if (state.isHidden) form.hidden = true;
    element.hidden = form.hidden;
    setText(warning, t(state.stakeText ? `${words}.warning.stake` : `${words}.warning`, state));
    setText(label, t(`${words}.type`, state));
    drawOnce(confirm, () => [icon(glyph), t(`${words}.confirm`)]);
    confirm.setAttribute("aria-disabled", String(!isConfirmed()));
    drawOnce(cancel, () => t("cancel"));
  };
  return Object.assign(element, { draw, ask: () => show(true) });
}
