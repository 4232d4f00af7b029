import { icon } from "../components/icon.js";
import { errorBanner, message } from "../components/states.js";
import { h, keyed, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { ModelScreen } from "../screen.js";

const GLYPHS = { approved: "check", declined: "close", unknown: "question", failed: "alert", sending: "sent" };

/** What was paid, what was refused, and what nobody knows yet. */
export class PaymentsScreen extends ModelScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = h("button", { class: "icon-button", type: "button", "data-test": "back", onclick: () => this.shell.back("/contacts") }, icon("back"));
  #alert = h("div", { role: "alert" });
  #list = h("ol", { class: "payment-list", "data-test": "payments" });
  #instead = h("div", {});
  #checking = new Set();
  element = h("section", { class: "screen payments-screen", "data-test": "screen-payments" },
    h("header", { class: "screen-bar" }, this.#back, this.#title), this.#alert, this.#list, this.#instead);

  constructor(shell) {
    super("payments");
    this.shell = shell;
    this.render({ title: t("payments.title"), payments: [], isEmpty: false, error: null });
  }

  get title() {
    return this.state?.title ?? t("payments.title");
  }

  render(state) {
    const lang = document.documentElement.lang;
    setText(this.#title, state.title);
    this.#back.setAttribute("aria-label", t("back"));
    replaceWhen(this.#alert, state.error?.message ?? "", () => errorBanner(state.error?.message, () => this.dismiss()));
    for (const { id, state: now } of state.payments) if (now !== "unknown") this.#checking.delete(id);
    keyed(this.#list, state.payments, (payment) => payment.id, () => this.#row(), (row, payment) => row.draw(payment));
    this.#list.hidden = state.payments.length === 0;
    const what = state.payments.length > 0 ? "list" : state.isEmpty ? "empty" : state.error ? "failed" : "loading";
    replaceWhen(this.#instead, `${what} ${lang}`, () => {
      if (what === "empty") {
        return message({ glyph: "history", title: t("payments.empty.title"), text: t("payments.empty.text"), test: "payments-empty",
          action: { title: t("pay.missing.action"), run: () => this.shell.go("/contacts") } });
      }
      if (what !== "loading") return [];
      return [h("p", { class: "visually-hidden", role: "status" }, t("loading")),
        h("div", { class: "payment-list", "aria-hidden": "true" }, Array.from({ length: 5 }, () => h("span", { class: "shimmer payment-skeleton", "data-test": "skeleton" })))];
    });
  }

  #row() {
    const row = h("li", { class: "payment-row", "data-test": "payment" });
    row.draw = (payment) => {
      const isChecking = this.#checking.has(payment.id);
      row.dataset.state = payment.state;
      replaceWhen(row, JSON.stringify([payment, isChecking, document.documentElement.lang]), () => [
        h("span", { class: `payment-glyph glyph-${payment.state}`, "aria-hidden": "true" }, icon(GLYPHS[payment.state] ?? "alert")),
        h("div", { class: "payment-lines" },
          h("p", { class: "payment-line" }, h("span", { class: "payment-name" }, payment.name), h("span", { class: "payment-amount" }, payment.amount)),
          h("p", { class: "payment-line payment-more" }, h("span", {}, payment.dateText),
            h("span", { class: `chip chip-${payment.state}`, "data-test": "payment-state" }, payment.stateText)),
          h("p", { class: "payment-line payment-more" }, h("span", {}, `${payment.brandName} ${payment.masked}`),
            payment.number !== null && h("span", {}, t("payments.number", payment)))),
        payment.state === "unknown" && h("div", { class: "payment-ask" }, h("p", {}, t("payments.unknown")),
          h("button", { class: "button", type: "button", "aria-disabled": String(isChecking), "aria-label": t("payments.check.name", payment), "data-test": "payment-check", onclick: () => this.#check(payment.id) },
            isChecking ? h("span", { class: "spinner", "aria-hidden": "true" }) : icon("search"), t("pay.check")))]);
    };
    return row;
  }

  async #check(id) {
    if (this.#checking.has(id)) return;
    this.#checking.add(id);
    const button = document.activeElement;
    this.render(this.state);
    await this.send("check", { id });
    const row = [...this.#list.children].find((child) => child.dataset.key === id);
    if (!button?.isConnected) row?.querySelector("button")?.focus({ focusVisible: false });
    setTimeout(() => {
      this.#checking.delete(id);
      if (this.state) this.render(this.state);
    }, 1500);
  }
}
