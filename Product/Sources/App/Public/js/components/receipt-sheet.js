import { h } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";
import { showModal } from "./modal.js";
import { receipt } from "./receipt.js";
import { receiptActions } from "./receipt-actions.js";

/** The receipt of an earlier payment: a sheet from below on a phone, a window elsewhere. */
export class ReceiptSheet {
  #frame = h("div", { class: "sheet-frame" });
  element = h("dialog", { class: "sheet receipt-sheet", "aria-labelledby": "receipt-sheet-title", "data-test": "receipt-sheet" }, this.#frame);

  /** @param {Wire.PaymentReceipt} paid */
  open(paid) {
    const close = h("button", { class: "icon-button", type: "button", "aria-label": t("close"), "data-test": "sheet-close", onclick: () => this.close() }, icon("close"));
    const recipient = h("div", { class: "receipt-to" }, h("span", {}, h("strong", {}, paid.name), h("span", { class: "receipt-username" }, paid.username)));
    const title = h("h1", { class: "visually-hidden", id: "receipt-sheet-title" }, t("payments.receipt"));
    this.#frame.replaceChildren(title, close, receipt(paid, recipient), receiptActions(paid));
    showModal(this.element, () => this.close());
    close.focus({ focusVisible: false });
  }

  close() {
    if (this.element.open) this.element.close();
    this.element.remove();
  }
}
