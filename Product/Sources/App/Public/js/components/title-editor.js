import { h, onEscape } from "../dom.js";
import { t } from "../i18n.js";
import { Form, fieldError } from "./form.js";

/** As the model has it: a longer one is refused. */
const LONGEST = 200;

/**
 * A form in place of a clip's title, or below it, while the clip is not posted.
 *
 * @param {{ id: string, title: string, save: (title: string) => Promise<boolean>, close: () => void }} editor
 */
export function titleEditor({ id, title, save, close }) {
  const input = h("input", { id, class: "field-input", type: "text", autocomplete: "off", maxlength: String(LONGEST), value: title,
    "aria-describedby": `${id}-error`, "data-test": "edit-field" });
  const error = fieldError(`${id}-error`, "edit-error");
  const form = h("form", { class: "outbox-editor", novalidate: true },
    h("label", { class: "field-label", for: id }, t("compose.field")), input,
    h("div", { class: "outbox-editor-buttons" },
      h("button", { class: "button button-primary", type: "submit", "data-test": "edit-save" }, t("outbox.edit.save")),
      h("button", { class: "button", type: "button", "data-test": "edit-cancel", onclick: close }, t("cancel"))), error);
  const isEmpty = () => input.value.trim() === "";
  const fields = new Form([{ input, error, problem: () => (isEmpty() ? t("clip.noTitle") : "") }], {
    isHeard: () => true, isReady: () => !isEmpty(), send: async () => {
      if (await save(input.value)) close();
    },
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    fields.attempt();
  });
  form.addEventListener("keydown", onEscape(close));
  return form;
}
