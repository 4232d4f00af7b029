import { drawOnce, h, onEscape, setText } from "../dom.js";
import { t } from "../i18n.js";
import { Form, field } from "./form.js";
import { icon } from "./icon.js";

/**
 * A button that opens a question, which is answered by typing a name: nothing less does it.
 *
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.test
 * @param {string} options.typedTest
 * @param {import("./icon.js").Glyph} options.glyph
 * @param {string} options.words is the beginning of the keys of its texts
 * @param {(typed: string) => void} options.onConfirm
 */
export function typedConfirmation({ id, test, typedTest, glyph, words, onConfirm }) {
  /** @type {{ name?: string | null, isHidden: boolean, isBusy: boolean }} */
  let state = { name: "", isHidden: true, isBusy: false };
  const open = h("button", { class: "button button-quiet drive-lock-open", type: "button", "aria-expanded": "false", "aria-controls": id, "data-test": `${test}-open`, onclick: () => show(true) });
  const warning = h("p", { class: "drive-lock-text" });
  const { label, input: typed, error, element: part } = field({ id: `${id}-typed`, test: typedTest, attributes: { autocomplete: "off", autocapitalize: "off", oninput: () => draw(state) } });
  const confirm = h("button", { class: "button button-danger", type: "submit", "data-test": `${test}-confirm` });
  const cancel = h("button", { class: "button", type: "button", "data-test": `${test}-cancel`, onclick: () => show(false) });
  const form = h("form", { class: "drive-lock", id, novalidate: true, hidden: true, "data-test": `${test}-form` },
    warning, part, h("div", { class: "compose-buttons" }, confirm, cancel));
  const element = h("div", { class: "drive-typed" }, open, form);

  const isConfirmed = () => Boolean(state.name) && typed.value === state.name && !state.isBusy;
  const fields = new Form([{ input: typed, error, problem: () => (isConfirmed() ? "" : t("drive.typed.wrong", { name: state.name })) }], {
    isHeard: () => true, isReady: isConfirmed, isBusy: () => state.isBusy, send: () => {
      onConfirm(typed.value);
      show(false);
    },
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    fields.attempt();
  });
  form.addEventListener("keydown", onEscape(() => show(false)));

  /** @param {boolean} isOpen */
  function show(isOpen) {
    form.hidden = !isOpen;
    typed.value = "";
    fields.reset();
    open.setAttribute("aria-expanded", String(isOpen));
    open.hidden = isOpen;
    draw(state);
    (isOpen ? typed : open).focus({ focusVisible: isOpen });
  }

  /** @param {typeof state} now */
  const draw = (now) => {
    state = now;
    element.hidden = state.isHidden;
    if (state.isHidden) form.hidden = true;
    open.hidden = !form.hidden;
    drawOnce(open, () => [icon(glyph), t(`${words}.make`)]);
    setText(warning, t(`${words}.warning`));
    setText(label, t(`${words}.type`, state));
    drawOnce(confirm, () => [icon(glyph), t(`${words}.confirm`)]);
    confirm.setAttribute("aria-disabled", String(!isConfirmed()));
    drawOnce(cancel, () => t("cancel"));
  };
  return Object.assign(element, { draw });
}
