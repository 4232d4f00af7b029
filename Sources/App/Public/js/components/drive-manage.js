import { h, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";

/** More storage, less of it, and the end of all changes. */
export function driveManage({ send }) {
  let state = null;
  let asked = null;
  const title = h("h2", { class: "drive-heading" });
  const label = h("label", { class: "field-label", for: "drive-amount" });
  const amount = h("input", { id: "drive-amount", class: "field-input", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "10MB",
    "aria-describedby": "drive-amount-cost drive-amount-error", "data-test": "amount", oninput: () => {
      send("amount", { text: amount.value }, "amount");
      element.draw(state);
    } });
  const cost = h("p", { class: "field-hint", id: "drive-amount-cost", role: "status", "data-test": "amount-cost" });
  const error = h("p", { class: "field-error", id: "drive-amount-error", role: "alert", hidden: true, "data-test": "amount-error" });
  const add = h("button", { class: "button button-primary", type: "submit", "data-test": "add-storage" });
  const reduce = h("button", { class: "button", type: "button", "data-test": "reduce-storage", onclick: () => change("reduceStorage") });
  const storage = h("form", { class: "drive-storage", novalidate: true }, h("div", { class: "field" }, label, h("div", { class: "drive-amount-line" }, amount, add, reduce), cost, error));
  storage.addEventListener("submit", (event) => {
    event.preventDefault();
    change("addStorage");
  });

  const open = h("button", { class: "button button-quiet drive-lock-open", type: "button", "aria-expanded": "false", "aria-controls": "drive-lock", "data-test": "immutable-open", onclick: () => show(true) });
  const warning = h("p", { class: "drive-lock-text" });
  const typedLabel = h("label", { class: "field-label", for: "drive-typed" });
  const typed = h("input", { id: "drive-typed", class: "field-input", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "data-test": "typed", oninput: () => element.draw(state) });
  const confirm = h("button", { class: "button button-danger", type: "submit", "data-test": "immutable-confirm" });
  const cancel = h("button", { class: "button", type: "button", "data-test": "immutable-cancel", onclick: () => show(false) });
  const lock = h("form", { class: "drive-lock", id: "drive-lock", novalidate: true, hidden: true, "data-test": "immutable-form" },
    warning, h("div", { class: "field" }, typedLabel, typed), h("div", { class: "compose-buttons" }, confirm, cancel));
  lock.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!isConfirmed()) return typed.focus();
    send("makeImmutable", { typed: typed.value });
    show(false);
  });
  lock.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    show(false);
  });
  const element = h("section", { class: "drive-section drive-manage", hidden: true, "data-test": "manage" }, title, storage, open, lock);

  const isConfirmed = () => Boolean(state?.name) && typed.value === state.name && !state.action;

  function show(isOpen) {
    lock.hidden = !isOpen;
    typed.value = "";
    open.setAttribute("aria-expanded", String(isOpen));
    open.hidden = isOpen;
    element.draw(state);
    (isOpen ? typed : open).focus({ focusVisible: isOpen });
  }

  function change(intent) {
    if (state?.action) return;
    asked = amount.value;
    send(intent, { size: amount.value });
    if (amount.value.trim() === "") amount.focus();
  }

  /** What was typed has been done. */
  element.done = () => {
    amount.value = "";
    asked = null;
    send("amount", { text: "" }, "amount");
  };

  element.draw = (now) => {
    state = now;
    if (!state?.name) return;
    const lang = document.documentElement.lang;
    const busy = String(Boolean(state.action));
    setText(title, t("drive.storage"));
    setText(label, t("drive.amount"));
    const doing = state.action?.kind;
    const text = doing === "addingStorage" || doing === "reducingStorage" || doing === "makingImmutable" ? t(`drive.doing.${doing}`)
      : state.costText && amount.value ? t("drive.cost", { cost: state.costText }) : t("drive.amount.hint", state);
    setText(cost, text);
    const wrong = state.sizeError && asked === amount.value ? state.sizeError : "";
    setText(error, wrong);
    error.hidden = !wrong;
    amount.setAttribute("aria-invalid", String(Boolean(wrong)));
    replaceWhen(add, lang, () => [icon("plus"), t("drive.add")]);
    add.setAttribute("aria-disabled", busy);
    replaceWhen(reduce, lang, () => t("drive.reduce"));
    reduce.setAttribute("aria-disabled", busy);
    reduce.hidden = state.isImmutable;
    replaceWhen(open, lang, () => [icon("lock"), t("drive.immutable.make")]);
    if (state.isImmutable) lock.hidden = true;
    open.hidden = state.isImmutable || !lock.hidden;
    setText(warning, t("drive.immutable.warning"));
    setText(typedLabel, t("drive.immutable.type", state));
    replaceWhen(confirm, lang, () => [icon("lock"), t("drive.immutable.confirm")]);
    confirm.setAttribute("aria-disabled", String(!isConfirmed()));
    replaceWhen(cancel, lang, () => t("cancel"));
  };
  return element;
}
