import { h, onEscape, replaceWhen } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";

/**
 * The size that is asked about, and its price, if it is known.
 *
 * @typedef {{ size: string, spend: Wire.Spend | null | undefined }} Asked
 */

/**
 * The question before storage is paid for: what it costs, and what is left.
 *
 * @param {{ onConfirm: () => void, onCancel: () => void }} options
 */
export function spendQuestion({ onConfirm, onCancel }) {
  const element = h("div", { class: "spend", role: "group", hidden: true, "data-test": "spend", onkeydown: onEscape(onCancel) });

  /**
   * @param {"cost" | "before" | "after"} name
   * @param {string | null} text
   * @param {string | null} exact
   */
  const row = (name, text, exact) => text !== null && h("div", { class: "spend-row" }, h("dt", {}, t(`drive.spend.${name}`)),
    h("dd", { title: exact, "data-exact": exact, "data-test": `spend-${name}` }, text));

  /** @param {Asked | null} asked */
  const draw = (asked) => {
    element.hidden = !asked;
    const title = asked ? t("drive.spend.title", asked) : "";
    element.setAttribute("aria-label", title);
    const spend = asked?.spend;
    replaceWhen(element, JSON.stringify(asked), () => asked && [
      h("p", { class: "spend-title" }, title),
      spend ? h("dl", { class: "spend-rows" }, row("cost", spend.cost, spend.costExact), row("before", spend.before, spend.beforeExact), row("after", spend.after, spend.afterExact))
        : h("p", { class: "field-hint", "data-test": "spend-unknown" }, t("drive.cost.unknown")),
      spend?.isTooMuch && h("p", { class: "field-error", role: "alert", "data-test": "spend-short" }, t("drive.spend.short")),
      h("div", { class: "compose-buttons" },
        h("button", { class: "button button-primary", type: "button", "data-test": "spend-confirm", onclick: onConfirm }, icon("plus"), spend ? t("drive.spend.confirm", spend) : t("drive.spend.confirm.unknown")),
        h("button", { class: "button", type: "button", "data-test": "spend-cancel", onclick: onCancel }, t("cancel")))]);
  };
  return Object.assign(element, { draw });
}
