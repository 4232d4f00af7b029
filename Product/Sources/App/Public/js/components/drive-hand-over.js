import { drawOnce, h, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { Form, field, fieldError } from "./form.js";
import { icon } from "./icon.js";

/**
 * A transaction that the owner has signed elsewhere: pasted, read back in words, and sent.
 *
 * @param {{ send: Send<"drive-create">, isSettled: () => boolean, isLost: () => boolean }} options `isLost` is true if the last text did not
 * arrive
 */
export function driveHandOver({ send, isSettled, isLost }) {
  /** @type {Partial<Wire.DriveCreateState>} */
  let state = {};
  const open = h("button", { class: "button button-quiet", type: "button", "aria-expanded": "false", "aria-controls": "drive-hand", "data-test": "hand-open", onclick: () => {
    form.hidden = !form.hidden;
    open.setAttribute("aria-expanded", String(!form.hidden));
    if (!form.hidden) area.focus();
  } });
  const label = h("label", { class: "field-label", for: "drive-hand-text" });
  /** @type {HTMLTextAreaElement} */
  const area = h("textarea", { id: "drive-hand-text", class: "field-input drive-hand-text", rows: "5", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    "aria-describedby": "drive-hand-hint drive-hand-error", "data-kept": true, "data-test": "hand-text", oninput: () => say() });
  const hint = h("p", { class: "field-hint", id: "drive-hand-hint" });
  const error = fieldError("drive-hand-error", "hand-error");
  const asked = h("div", { role: "status" });
  const { label: typedLabel, input: typed, error: typedError, element: confirmation } = field({ id: "drive-hand-typed", test: "hand-typed", attributes: { autocomplete: "off", autocapitalize: "off", oninput: () => draw(state) } });
  const submit = h("button", { class: "button button-primary", type: "submit", "data-test": "hand-submit" });
  const done = h("div", { role: "status" });
  const form = h("form", { class: "drive-hand-form", id: "drive-hand", novalidate: true, hidden: true, "data-test": "hand-form" },
    h("div", { class: "field" }, label, area, hint, error), asked, confirmation, done, h("div", { class: "compose-buttons" }, submit));
  const say = () => send("transaction", { text: area.value }, "transaction");
  /** Says again what did not arrive. */
  const tell = () => {
    if (isLost()) say();
  };
  /** The user confirms an irreversible transaction by typing a name, as on the account's own page. */
  const isConfirmed = () => !state.handedConfirmation || typed.value === state.handedConfirmation;
  /** The reason why the transaction that stands there was not carried out. */
  const failure = () => (state.phase === "failed" && state.handed ? state.message : null);
  const wrong = () => failure() ?? state.handedError;
  const fields = new Form([
    { input: area, error, certain: wrong, problem: () => wrong() ?? (area.value.trim() ? "" : t("drive.hand.missing")) },
    { input: typed, error: typedError, problem: () => (isConfirmed() ? "" : t("drive.typed.wrong", { name: state.handedConfirmation })) },
  ], {
    // The model receives the typed text first, and its state brings the text back.
    isHeard: () => isSettled() && state.handed === area.value, tell, isReady: () => Boolean(state.canHandOver) && isConfirmed(), isBusy: () => state.phase === "creating",
    send: () => {
      // The intent names the transaction that stands here: the model may have another one.
      send("handOver", { transaction: area.value, typed: typed.value });
      typed.value = "";
    },
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    fields.attempt();
  });
  const element = h("section", { class: "drive-hand" }, open, form);

  /** @param {Partial<Wire.DriveCreateState>} now */
  const draw = (now) => {
    const before = failure();
    state = now;
    element.hidden = state.phase === "created";
    drawOnce(open, () => [icon("key"), t("drive.hand.open")]);
    setText(label, t("drive.hand.label"));
    setText(hint, t("drive.hand.hint"));
    if (document.activeElement !== area && state.handed !== undefined && isSettled() && !isLost()) area.value = state.handed;
    area.readOnly = state.phase === "creating";
    replaceWhen(asked, `${state.handedText} ${state.handedOwner}`, () => state.handedText &&
      h("div", { class: "drive-cost drive-hand-asked", "data-test": "hand-asked" }, icon("key"),
        h("div", {}, h("p", {}, state.handedText), h("p", { class: "drive-hand-owner" }, t("drive.hand.owner", state)))));
    replaceWhen(done, `${state.handedOver}`, () => typeof state.handedOver === "string" && h("p", { class: "drive-hint", "data-test": "hand-done" }, icon("check"), h("span", {}, state.handedOver ? t("drive.hand.done", state) : t("drive.hand.done.short"))));
    drawOnce(submit, () => t("drive.hand.do"));
    confirmation.hidden = !state.handedConfirmation;
    setText(typedLabel, state.handedConfirmation ? t("drive.immutable.type", { name: state.handedConfirmation }) : "");
    submit.setAttribute("aria-disabled", String(!state.canHandOver || !isConfirmed()));
    fields.answered();
    if (failure() && !before && form.contains(document.activeElement)) area.focus();
  };
  return Object.assign(element, { draw, tell });
}
