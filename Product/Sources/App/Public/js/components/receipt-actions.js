import { h } from "../dom.js";
import { t } from "../i18n.js";
import { save } from "./download.js";
import { icon } from "./icon.js";
import { receiptPicture } from "./receipt-picture.js";
import { canShare, share } from "./share.js";
import { toast } from "./toast.js";

/**
 * The buttons of a receipt: it is shared, saved as a picture, and printed.
 *
 * @param {Wire.PaymentReceipt} paid
 */
export function receiptActions(paid) {
  const name = `${t("receipt.file")}-${paid.number ?? paid.date.slice(0, 10)}.png`;
  /**
   * @param {string} test
   * @param {import("./icon.js").Glyph} glyph
   * @param {string} words
   * @param {() => void} run
   */
  const action = (test, glyph, words, run) => h("button", { class: "button button-quiet", type: "button", "data-test": test, onclick: run }, icon(glyph), words);

  const shareIt = () => share(async () => {
    const text = t("receipt.share.text", { amount: paid.amount, name: paid.name, date: paid.dateText, number: paid.number ?? "" });
    const file = new File([await receiptPicture(paid)], name, { type: "image/png" });
    return navigator.canShare?.({ files: [file] }) ? { text, files: [file] } : { text };
  }, () => toast(t("receipt.share.failed"), "danger"));

  const saveIt = () => save(async () => ({ blob: await receiptPicture(paid), name }),
    (isSaved) => (isSaved ? toast(t("receipt.picture.saved")) : toast(t("receipt.picture.failed"), "danger")));

  return h("div", { class: "receipt-tools" }, canShare() && action("receipt-share", "share", t("receipt.share"), shareIt),
    action("receipt-picture", "picture", t("receipt.picture"), saveIt), action("receipt-print", "print", t("receipt.print"), () => print()));
}
