import { backButton } from "../components/back-button.js";
import { CodeField } from "../components/code-field.js";
import { Form, drawReady } from "../components/form.js";
import { ReceiptSheet } from "../components/receipt-sheet.js";
import { icon } from "../components/icon.js";
import { errorBanner, message } from "../components/states.js";
import { toast } from "../components/toast.js";
import { find, h, keyed, onEscape, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { ModelScreen } from "../screen.js";

/**
 * A question in a row, and the payments made since that its user is shown with it.
 *
 * @typedef {{ id: string, what: "code" | "giveUp", besides: string[] }} Asking
 */

/** @typedef {{ name: string, payments: Wire.PaymentsPayment[] }} Day */

/**
 * The payments by day, in their order.
 *
 * @param {Wire.PaymentsPayment[]} payments
 */
function daysOf(payments) {
  /** @type {Day[]} */
  const days = [];
  for (const payment of payments) {
    const day = days.find(({ name }) => name === payment.day);
    if (day) day.payments.push(payment);
    else days.push({ name: payment.day, payments: [payment] });
  }
  return days;
}

/**
 * What sending a payment again is: a second payment, or one that is charged once in any case.
 *
 * @param {Wire.PaymentsPayment} payment
 */
const retryKey = (payment) => (payment.state === "failed" || payment.madeSince.length > 0 ? "again" : "retry");

/** @type {Record<Wire.PaymentsPayment["state"], import("../components/icon.js").Glyph>} */
const GLYPHS = { approved: "check", declined: "close", unknown: "question", failed: "alert", sending: "sent", abandoned: "question" };

/**
 * The payments that were made, that were refused, and whose outcome is unknown.
 *
 * @extends {ModelScreen<"payments">}
 */
export class PaymentsScreen extends ModelScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = backButton(() => this.shell.back("/contacts"));
  #alert = h("div", { role: "alert" });
  #missing = h("div", { role: "status" });
  #list = h("div", { class: "payment-days", "data-test": "payments" });
  #instead = h("div", {});
  /**
   * The question in a row.
   *
   * @type {Asking | null}
   */
  #asking = null;
  /** @type {CodeField} */
  #code = new CodeField("payment-code", () => this.#drawSend(), () => this.#form.attempt());
  /** @type {Form} */
  #form = new Form([{ input: this.#code.input, error: this.#code.error, problem: () => this.#codeProblem() }],
    { isHeard: () => true, isReady: () => this.#code.isComplete, send: () => this.#retry() });
  #receipt = new ReceiptSheet();
  /**
   * The payment that something is being done with.
   *
   * @type {string | null}
   */
  #acted = null;
  element = h("section", { class: "screen payments-screen", "data-test": "screen-payments" },
    h("header", { class: "screen-bar" }, this.#back, this.#title), this.#alert, this.#missing, this.#list, this.#instead);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("payments");
    this.shell = shell;
    this.#code.input.dataset.test = "payment-code";
    this.render({ title: t("payments.title"), payments: [], isEmpty: false, missing: null, ended: null, error: null });
  }

  hide() {
    super.hide();
    this.#receipt.close();
    this.#ask(null);
  }

  get title() {
    return this.state?.title ?? t("payments.title");
  }

  /**
   * @param {Wire.PaymentsState} state
   * @param {Wire.PaymentsState | null} [before]
   */
  render(state, before) {
    setText(this.#title, state.title);
    replaceWhen(this.#alert, state.error?.message ?? "", () => errorBanner(state.error?.message, () => this.dismiss()));
    replaceWhen(this.#missing, state.missing ?? "", () => state.missing && h("p", { class: "notice", "data-test": "payments-missing" }, icon("alert"), h("span", {}, state.missing)));
    const asking = this.#asking;
    const asked = asking && state.payments.find((payment) => payment.id === asking.id);
    if (asking && !asked?.[asking.what === "code" ? "canRetry" : "canGiveUp"]) this.#forget();
    keyed(this.#list, daysOf(state.payments), (day) => day.name, () => this.#newDay(), (element, day) => element.draw(day));
    this.#list.hidden = state.payments.length === 0;
    if (before && state.ended && state.ended.count !== before.ended?.count) this.#tell(state, state.ended.id);
    const what = state.payments.length > 0 ? "list" : state.isEmpty ? "empty" : state.error || state.missing ? "failed" : "loading";
    replaceWhen(this.#instead, `${what}`, () => {
      if (what === "empty") {
        return message({ glyph: "history", title: t("payments.empty.title"), text: t("payments.empty.text"), test: "payments-empty",
          action: { title: t("pay.missing.action"), run: () => this.shell.go("/contacts") } });
      }
      if (what !== "loading") return [];
      return [h("p", { class: "visually-hidden", role: "status" }, t("loading")),
        h("div", { class: "payment-list", "aria-hidden": "true" }, Array.from({ length: 5 }, () => h("span", { class: "shimmer payment-skeleton", "data-test": "skeleton" })))];
    });
  }

  /** The payments of a day, below its name. */
  #newDay() {
    const title = h("h2", { class: "list-heading", "data-test": "day" });
    const list = h("ol", { class: "payment-list" });
    const element = h("section", { class: "payment-day" }, title, list);
    /** @param {Day} day */
    const draw = ({ name, payments }) => {
      setText(title, name);
      keyed(list, payments, (payment) => payment.id, () => this.#newRow(), (row, payment) => row.draw(payment));
    };
    return Object.assign(element, { draw });
  }

  #newRow() {
    const row = h("li", { class: "payment-row", "data-test": "payment" });
    /** @param {Wire.PaymentsPayment} payment */
    const draw = (payment) => {
      const asking = this.#asking?.id === payment.id ? this.#asking.what : null;
      row.dataset.state = payment.state;
      replaceWhen(row, JSON.stringify([payment, asking]), () => [
        h("span", { class: `payment-glyph glyph-${payment.state}`, "aria-hidden": "true" }, icon(GLYPHS[payment.state])),
        h("div", { class: "payment-lines" },
          h("p", { class: "payment-line" }, h("span", { class: "payment-name" }, payment.name), h("span", { class: "payment-amount" }, payment.amount)),
          h("p", { class: "payment-line payment-more" }, h("span", {}, payment.timeText),
            h("span", { class: `chip chip-${payment.state}`, "data-test": "payment-state" }, payment.stateText)),
          h("p", { class: "payment-line payment-more" }, h("span", {}, `${payment.brandName} ${payment.masked}`),
            payment.number !== null && h("span", {}, t("payments.number", payment))),
          payment.receipt && this.#receiptButton(payment, payment.receipt)),
        payment.note && h("div", { class: "payment-ask" }, h("p", {}, payment.note),
          asking === "code" ? this.#codeQuestion(payment) : asking === "giveUp" ? this.#giveUpQuestion(payment) : this.#actions(payment))]);
    };
    return Object.assign(row, { draw });
  }

  /**
   * @param {Wire.PaymentsPayment} payment
   * @param {Wire.PaymentReceipt} paid
   */
  #receiptButton(payment, paid) {
    return h("button", { class: "button button-quiet payment-receipt", type: "button", "aria-haspopup": "dialog", "aria-label": t("payments.receipt.name", payment), "data-test": "payment-receipt",
      onclick: () => this.#receipt.open(paid) }, icon("document"), t("payments.receipt"));
  }

  /** @param {Wire.PaymentsPayment} payment */
  #actions(payment) {
    /**
     * @param {"check" | "retry" | "again" | "giveUp"} key
     * @param {import("../components/icon.js").Glyph} glyph
     * @param {string} test
     * @param {() => void} run
     */
    const act = (key, glyph, test, run) => h("button", { class: "button", type: "button", "aria-disabled": String(payment.isBusy), "aria-label": t(`payments.${key}.name`, payment), "data-test": test, onclick: () => !payment.isBusy && run() },
      payment.isBusy && key === "check" ? h("span", { class: "spinner", "aria-hidden": "true" }) : icon(glyph), t(`payments.${key}`));
    return h("div", { class: "payment-actions" },
      payment.canCheck && act("check", "search", "payment-check", () => this.#act(payment.id, this.send("check", { id: payment.id }))),
      payment.canRetry && act(retryKey(payment), "reload", "payment-retry", () => this.#ask({ id: payment.id, what: "code", besides: payment.madeSince })),
      payment.canGiveUp && act("giveUp", "close", "payment-give-up", () => this.#ask({ id: payment.id, what: "giveUp", besides: [] })));
  }

  /** @param {Wire.PaymentsPayment} payment */
  #codeQuestion(payment) {
    this.#code.draw(payment.codeLength);
    this.#codeLength = payment.codeLength;
    return h("div", { class: "payment-question", role: "group", "aria-label": t(`payments.${retryKey(payment)}.name`, payment), onkeydown: onEscape(() => this.#ask(null)) },
      payment.madeSinceText && h("p", { class: "payment-warning", "data-test": "payment-made-since" }, payment.madeSinceText), this.#code.element,
      h("button", { class: "button", type: "button", "data-test": "payment-cancel", onclick: () => this.#ask(null) }, t("cancel")),
      h("button", { class: "button button-primary", type: "button", "data-ready": "false", "data-test": "payment-send", onclick: () => this.#form.attempt() }, t(`payments.${retryKey(payment)}`)));
  }

  /** @param {Wire.PaymentsPayment} payment */
  #giveUpQuestion(payment) {
    return h("div", { class: "payment-question", role: "group", "aria-label": t("payments.giveUp.ask"), onkeydown: onEscape(() => this.#ask(null)) }, h("span", {}, t("payments.giveUp.ask")),
      h("button", { class: "button", type: "button", "data-test": "payment-cancel", onclick: () => this.#ask(null) }, t("cancel")),
      h("button", { class: "button button-danger", type: "button", "data-test": "payment-give-up-confirm", onclick: () => this.#act(payment.id, this.send("giveUp", { id: payment.id })) }, t("payments.giveUp")));
  }

  #drawSend() {
    const send = find(this.#list, "[data-test=payment-send]");
    if (send) drawReady(send, this.#code.isComplete);
  }

  #codeLength = 3;

  #codeProblem() {
    if (this.#code.value === "") return t("card.code.empty");
    return this.#code.isComplete ? null : t("card.code.wrongLength", { expected: this.#codeLength });
  }

  /**
   * Says how the user's check, retry or give-up has ended. Its error stands above the list.
   *
   * @param {Wire.PaymentsState} state
   * @param {string} id
   */
  #tell(state, id) {
    if (id !== this.#acted) return;
    this.#acted = null;
    const payment = state.payments.find((payment) => payment.id === id);
    if (payment && !state.error) toast(t(`payments.result.${payment.state}`, payment));
  }

  /** @param {string | undefined} id */
  #rowOf(id) {
    return id === undefined ? null : find(this.#list, `[data-key="${CSS.escape(id)}"]`);
  }

  /** The code goes with its question. */
  #forget() {
    this.#asking = null;
    this.#code.clear();
    this.#form.reset();
  }

  /** @param {Asking | null} asking */
  #ask(asking) {
    const before = this.#asking?.id;
    this.#forget();
    this.#asking = asking;
    if (!this.state) return;
    this.render(this.state);
    if (asking?.what === "code") this.#code.focus();
    else find(this.#rowOf(asking?.id ?? before), "button")?.focus({ focusVisible: false });
  }

  async #retry() {
    if (!this.#asking || !this.#code.isComplete) return;
    const { id, besides } = this.#asking;
    const code = this.#code.value;
    this.#forget();
    await this.#act(id, this.send("retry", { id, code, besides: besides.join(" ") }));
  }

  /**
   * Draws the row without its question while something is done, and leads back to it.
   *
   * @param {string} id
   * @param {Promise<boolean>} sent
   */
  async #act(id, sent) {
    this.#acted = id;
    this.#asking = null;
    if (this.state) this.render(this.state);
    await sent;
    find(this.#rowOf(id), "button")?.focus({ focusVisible: false });
  }
}
