import { h } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";
import { testBadge } from "./card-face.js";

/**
 * The receipt of a payment, as on paper.
 *
 * @param {Wire.PaymentReceipt} paid
 * @param {Child} recipient
 */
export function receipt(paid, recipient) {
  /**
   * @param {string} name
   * @param {Children} value
   * @param {string} test
   */
  const row = (name, value, test) => h("div", { class: "receipt-row" }, h("dt", {}, t(name)), h("dd", { "data-test": test }, ...[value].flat()));
  return h("article", { class: "receipt", "aria-labelledby": "receipt-title", "data-test": "receipt" },
    h("div", { class: "receipt-head" },
      h("span", { class: "receipt-seal", "aria-hidden": "true" }, icon("check")),
      h("h2", { id: "receipt-title", class: "receipt-title", tabindex: "-1" }, t("receipt.title")),
      h("p", { class: "receipt-amount", "data-test": "receipt-amount" }, paid.amount),
      recipient),
    h("dl", { class: "receipt-rows" },
      row("receipt.status", h("span", { class: "chip chip-approved" }, paid.status), "receipt-status"),
      row("receipt.date", h("time", { datetime: paid.date }, paid.dateText), "receipt-date"),
      row("receipt.number", h("span", { class: "receipt-code" }, String(paid.number)), "receipt-number"),
      row("receipt.card", [h("span", {}, `${paid.brandName} ${paid.masked}`), testBadge(paid.testLabel)], "receipt-card"),
      row("receipt.amount", paid.amount, "receipt-sum"),
      h("div", { class: "receipt-row receipt-total" }, h("dt", {}, t("receipt.total")), h("dd", { "data-test": "receipt-total" }, paid.total))));
}
