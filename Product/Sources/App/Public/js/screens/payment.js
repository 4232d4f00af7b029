import { AmountField } from "../components/amount-field.js";
import { avatar } from "../components/avatar.js";
import { backButton } from "../components/back-button.js";
import { cardLine } from "../components/card-face.js";
import { CardSheet } from "../components/card-sheet.js";
import { CodeField } from "../components/code-field.js";
import { Form, drawReady, fieldError } from "../components/form.js";
import { icon } from "../components/icon.js";
import { receiptActions } from "../components/receipt-actions.js";
import { receipt } from "../components/receipt.js";
import { errorBanner, failed, message } from "../components/states.js";
import { announce, toast } from "../components/toast.js";
import { find, h, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { Attempts } from "../logic/attempts.js";
import { tabMemory } from "../memory.js";
import { ModelScreen } from "../screen.js";

/** @typedef {Wire.PaymentState} State */
/** @typedef {State["phase"]} Phase */
/** @typedef {"check" | "retry" | "giveUp" | "checkEarlier" | "retryEarlier" | "payOnceMore"} Question */

/**
 * True if an attempt is over, and the next one begins anew.
 *
 * @param {Phase | undefined} phase
 */
const isOver = (phase) => phase === "declined" || phase === "failed";

/**
 * True if nothing of the contact is there that could be paid.
 *
 * @param {Phase} phase
 */
const isAway = (phase) => phase === "loading" || phase === "missing" || phase === "unloaded";

/**
 * Paying one contact: amount, card, code; and what became of it.
 *
 * @extends {ModelScreen<"payment">}
 */
export class PaymentScreen extends ModelScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = backButton(() => this.shell.back("/contacts"));
  #picture = avatar("avatar-large");
  #name = h("p", { class: "payee-name", "data-test": "payee" });
  #username = h("p", { class: "payee-username" });
  #payee = h("div", { class: "payee" }, this.#picture, h("div", {}, this.#name, this.#username));
  #alert = h("div", { role: "alert" });
  #instead = h("div", {});
  /** @type {AmountField} */
  #amount = new AmountField((digits, edit) => this.#edit(this.#amount.input, () => this.send("amount", { digits, edit }, "amount")),
    (pasted, edit) => this.#edit(this.#amount.input, () => this.send("amountText", { ...pasted, edit }, "amount")));
  #card = h("button", { class: "card-line pay-card", type: "button", "aria-haspopup": "dialog", "aria-describedby": "pay-card-error", "data-test": "change-card", onclick: () => this.#sheet.open() });
  #cardError = fieldError("pay-card-error", "card-error", "amount-error");
  /** @type {CodeField} */
  #code = new CodeField("pay-code", (value) => this.#typedCode(value), () => this.#fields.attempt());
  #verdict = h("div", { role: "alert" });
  #pay = h("button", { class: "button button-primary pay-button", type: "button", "data-test": "pay", onclick: () => this.#fields.attempt() });
  #safety = h("p", { class: "pay-safety" });
  #form = h("div", { class: "pay-form", "data-test": "pay-form" },
    this.#amount.element, this.#card, this.#cardError, this.#code.element, this.#verdict, this.#pay, this.#safety);
  /** @type {Form} */
  #fields = new Form([
    { input: this.#amount.input, error: this.#amount.error, text: () => this.#amount.digits ?? "", problem: () => (this.isLost("amount") ? null : this.state?.amount.problem), certain: () => this.state?.amount.error },
    { input: this.#card, error: this.#cardError, problem: () => this.state?.cardProblem, certain: () => this.state?.cardProblem },
    { input: this.#code.input, error: this.#code.error, problem: () => this.#codeProblem },
  ], {
    isHeard: () => this.isSettled && !["again", "amount", "code"].some((name) => this.isLost(name)) && this.#amount.digits === this.state?.amount.digits,
    tell: () => this.#tellLost(),
    isReady: () => this.state !== null && this.#mayPay(this.state), isBusy: () => this.#isPaying, send: () => this.#send(),
  });
  #sheet = new CardSheet((id) => this.#choose(id));
  /** From the click on Pay until the model says what became of it. */
  #isPaying = false;
  /** @type {Attempts} */
  #attempts;
  /** @type {Question | null} */
  #asked = null;
  /** No news of other payments are told over this one. */
  isPayment = true;
  #isGivingUp = false;
  #isFirst = true;
  #wasFocused = false;
  /** True from a connection that is not the page's first one, or the first one after an attempt of unknown outcome, until its form is there. */
  #isBack = false;
  /** True from such a connection until its model shows anything of the contact. */
  #isUntold = false;
  /**
   * The card that the code on the page is for.
   *
   * @type {string | undefined}
   */
  #cardID;
  #isNew;
  element;

  /**
   * A screen reached by a link begins a new payment; one that comes back shows how the last one ended.
   *
   * @param {import("../shell.js").Shell} shell
   * @param {string} id
   * @param {boolean} isNew
   */
  constructor(shell, id, isNew) {
    super("payment", { contact: id });
    this.shell = shell;
    this.id = id;
    this.#isNew = isNew;
    this.#attempts = new Attempts(id, tabMemory);
    this.element = h("section", { class: "screen payment-screen", "data-test": "screen-payment" },
      h("header", { class: "screen-bar" }, this.#back, this.#title),
      h("div", { class: "pay-panel" }, this.#alert, this.#payee, this.#instead, this.#form), this.#sheet.element);
    this.#amount.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter") (this.#code.isComplete || !this.#amount.digits ? this.#fields.attempt() : this.#code.focus());
    });
    this.#drawLoading();
  }

  get title() {
    return this.state?.title ?? t("pay.screen");
  }

  /** Digits that a new server has not heard, or an old one should forget. */
  opened() {
    super.opened();
    // An Enter that a lost connection kept waiting pays nothing later by itself.
    this.#fields.forgetWish();
    // The next state says if a request is still under way; a server that was started again has none.
    this.#isPaying = false;
    this.#asked = null;
    this.#tell();
    this.#isBack = this.#isUntold = this.state !== null || this.#attempts.last !== null;
  }

  #tell() {
    if (this.#amount.digits !== "" || this.isLost("amount")) this.#tellAmount();
    this.send("code", { value: this.#code.value }, "code");
  }

  /** The amount as it stands, or the text that was pasted over it. */
  #tellAmount() {
    this.#amount.retell();
    const { digits, pasted, edit } = this.#amount;
    if (digits !== null) this.send("amount", { digits, edit }, "amount");
    else this.send("amountText", { ...pasted, edit }, "amount");
  }

  /** Says again what was typed and did not arrive. */
  #tellLost() {
    // A model that still shows a verdict has heard none of what was typed after it.
    const isBehind = this.isLost("again");
    if (isBehind) this.send("again", {}, "again");
    if (isBehind || this.isLost("amount")) {
      this.#tellAmount();
      // The page still shows the amount that stood there before a pasted text which was lost: that text is not paid by this press.
      if (this.#amount.digits === null) this.#fields.forgetWish();
    }
    if (isBehind || this.isLost("code")) this.send("code", { value: this.#code.value }, "code");
  }

  /** The reason why the code cannot be sent. The model knows none of a code that did not arrive. */
  get #codeProblem() {
    if (this.#code.value === "") return t("card.code.empty");
    return this.isLost("code") ? null : this.state?.code.problem;
  }

  /**
   * The page leaves an outcome that is not its own: that of an earlier visit, or, when it comes back, that of another payment than its last
   * attempt, which a model of before still shows. The form is then asked what became of the last attempt.
   *
   * @param {State} state
   */
  #meet(state) {
    const { phase, shown, isChecking } = state;
    if (phase === "loading") return;
    const isVisit = this.#isFirst && this.#isNew;
    this.#isFirst = false;
    if (isAway(phase)) return;
    const isUntold = this.#isUntold;
    this.#isUntold = false;
    const { last } = this.#attempts;
    const isDecided = phase === "approved" || isOver(phase);
    const isOther = isUntold && last !== null && last.id !== shown;
    const leaves = (isDecided && (isVisit || isOther)) || (phase === "earlier" && isVisit && !isChecking);
    if (leaves) this.send("again");
    if (this.#isBack && (leaves || phase === "ready")) this.#comeBack(state, isUntold);
  }

  /**
   * A model that was still loading has heard nothing. It is told again when it is ready; the code, which is that of one card, only for
   * the same card. A model that has never heard of the last attempt, or not of its end, shows what became of it, if anything did.
   *
   * @param {State} state
   * @param {boolean} isUntold
   */
  #comeBack({ phase, card }, isUntold) {
    this.#isBack = false;
    const { last } = this.#attempts;
    if (last) this.send("resume", { attempt: last.id });
    if (!isUntold) return;
    if (phase !== "ready" || card?.id !== this.#cardID) this.#code.clear();
    this.#tell();
  }

  hide() {
    this.#sheet.close();
    this.#fields.reset();
    this.#amount.leave();
    if (this.#code.value) {
      this.#code.clear();
      this.send("code", { value: "" }, "code");
    }
    super.hide();
    this.shell.busy(this, false);
  }

  /**
   * @param {Wire.PaymentState} state
   * @param {Wire.PaymentState | null} [before]
   */
  render(state, before) {
    const { phase } = state;
    this.#attempts.follow(state, this.#isUntold ? null : before);
    this.#meet(state);
    if (state.card) this.#cardID = state.card.id;
    if (phase !== "ready") this.#isPaying = phase === "sending";
    else if (before?.phase !== "ready" || before.ended !== state.ended) this.#isPaying = false;
    const answered = before && before.ended !== state.ended ? this.#asked : null;
    setText(this.#title, state.title);
    this.shell.busy(this, phase === "loading" || phase === "sending");
    replaceWhen(this.#alert, state.error?.message ?? "", () => errorBanner(state.error?.message, () => this.dismiss()));
    this.element.dataset.phase = phase;
    if (phase === "loading") return this.#drawLoading();
    this.#drawPayee(state.contact);
    this.#payee.hidden = !state.contact || phase === "approved" || phase === "unknown" || phase === "earlier";
    const primes = state.needsCard && phase === "ready";
    const hasForm = !primes && (phase === "ready" || phase === "sending" || isOver(phase));
    this.#form.hidden = !hasForm;
    if (phase !== before?.phase) this.#phaseChanged(phase, before?.phase);
    if (answered) this.#asked = null;
    this.#drawForm(state);
    this.#drawInstead(state, primes);
    if (hasForm && !this.#wasFocused) this.#focusFirst();
    this.#fields.answered();
    if (phase !== before?.phase && before && before.phase !== "loading") this.#moveFocus(phase);
    // An answer that changes nothing is an answer, too.
    if (answered === "check" && phase === "unknown") announce(t("pay.unknown.title"));
    if (answered === "checkEarlier" && phase === "earlier") announce(t("pay.earlier.title"));
  }

  /**
   * @param {Phase} phase
   * @param {Phase | undefined} before
   */
  #phaseChanged(phase, before) {
    if (before === "unknown" && phase === "ready" && this.#asked === "giveUp") toast(t("pay.gaveUp"));
    this.#asked = null;
    this.#isGivingUp = false;
    if (phase !== "ready") this.#fields.reset();
    // The first edit after a verdict leads back to the form, and is newer than the form's amount. So is what a new model has not heard.
    if (!isAway(phase) && (phase !== "ready" || !(isOver(before) || (before && isAway(before))))) this.#amount.settle();
    // An attempt uses the code up.
    if (phase !== "ready" || before === "sending") this.#code.clear();
    if (phase !== "ready") this.#sheet.close();
  }

  /** @param {Wire.ContactLine | null} contact */
  #drawPayee(contact) {
    if (!contact) return;
    this.#picture.draw(contact);
    setText(this.#name, contact.name);
    setText(this.#username, contact.username);
  }

  /** @param {State} state */
  #drawForm(state) {
    const { phase, card } = state;
    const isUnknown = phase === "unknown";
    this.#amount.draw(state.amount);
    this.#amount.isLocked = this.#isPaying;
    this.#amount.element.hidden = isUnknown;
    this.#card.hidden = isUnknown || !card;
    this.#pay.hidden = this.#safety.hidden = isOver(phase);
    replaceWhen(this.#card, JSON.stringify([card]), () => (card ? [...cardLine(card), h("span", { class: "card-line-change" }, t("pay.card.change"))] : []));
    this.#card.setAttribute("aria-label", card ? t("pay.card.name", { card: `${card.brandName} ${card.masked}` }) : "");
    this.#card.setAttribute("aria-disabled", String(this.#isPaying));
    this.#sheet.draw(state.cards, `/cards/new?pay=${encodeURIComponent(this.id)}`);
    this.#code.draw(state.code.length);
    this.#code.isLocked = this.#isPaying;
    this.#code.element.hidden = isUnknown;
    this.#drawPay(state);
    const verdict = isOver(phase) ? state.message : null;
    replaceWhen(this.#verdict, `${phase} ${verdict}`, () => verdict && h("div", { class: "verdict", "data-test": phase },
      h("p", { class: "verdict-text" }, icon("alert"), h("span", {}, verdict)),
      h("div", { class: "verdict-actions" },
        phase === "declined" && h("button", { class: "button", type: "button", "data-test": "declined-change", onclick: () => this.#sheet.open() }, t("pay.card.other")),
        h("button", { class: "button", type: "button", "data-test": "again", onclick: () => this.#again() }, t("pay.again")))));
    setText(this.#safety, t("pay.safety"));
  }

  /** @param {State} state */
  #drawPay(state) {
    const busy = this.#isPaying;
    drawReady(this.#pay, this.#mayPay(state), busy);
    replaceWhen(this.#pay, `${busy} ${state.payLabel}`, () => (busy
      ? [h("span", { class: "spinner", "aria-hidden": "true" }), t("pay.sending")] : [icon("lock"), h("span", { "data-test": "pay-label" }, state.payLabel)]));
  }

  /**
   * The payment is made in the amount on the button: it is off while the model and the page disagree on the amount.
   *
   * @param {State} state
   */
  #mayPay(state) {
    return state.canPay && state.phase === "ready" && this.#amount.digits === state.amount.digits && this.#code.isComplete;
  }

  /**
   * @param {State} state
   * @param {boolean} primes
   */
  #drawInstead(state, primes) {
    const { phase } = state;
    const what = primes ? "priming" : ["missing", "unloaded", "unknown", "earlier", "approved"].includes(phase) ? phase : "form";
    replaceWhen(this.#instead, JSON.stringify([what, state.receipt, state.unknown, state.earlier, what === "unloaded" && state.message]), () => {
      if (what === "priming") return this.#priming(state.contact);
      if (what === "missing") {
        return message({ glyph: "contacts", title: t("pay.missing.title"), text: t("pay.missing.text"), test: "pay-missing",
          action: { title: t("pay.missing.action"), run: () => this.shell.go("/contacts") } });
      }
      if (what === "unloaded") {
        return failed({ trouble: null, title: t("pay.failed.title"), text: state.message ?? "", test: "pay-failed", run: () => this.reload() });
      }
      if (what === "unknown") return this.#unknown(state);
      if (what === "earlier" && state.earlier) return this.#earlier(state.earlier);
      if (what === "approved" && state.receipt) return this.#paid(state, state.receipt);
      return [];
    });
    if (what === "unknown") return this.#drawUnknown(state);
    if (what === "earlier") this.#drawEarlier(state);
  }

  #drawLoading() {
    this.#payee.hidden = true;
    this.#form.hidden = true;
    setText(this.#title, this.title);
    replaceWhen(this.#instead, "loading", () => [
      h("p", { class: "visually-hidden", role: "status" }, t("loading")),
      h("div", { class: "pay-skeleton", "aria-hidden": "true", "data-test": "skeleton" }, h("span", { class: "shimmer avatar avatar-large" }),
        h("span", { class: "shimmer contact-line" }), h("span", { class: "shimmer pay-skeleton-amount" }), h("span", { class: "shimmer pay-skeleton-row" }),
        h("span", { class: "shimmer pay-skeleton-row" }))]);
  }

  /** @param {Wire.ContactLine | null} contact */
  #priming(contact) {
    return h("div", { class: "priming", "data-test": "priming" },
      h("div", { class: "priming-art", "aria-hidden": "true" }, h("span", { class: "priming-card priming-card-back" }), h("span", { class: "priming-card" }, h("span", { class: "face-chip" }))),
      h("h2", { class: "message-title" }, t("priming.title")),
      h("p", { class: "message-text" }, contact ? t("priming.text", { name: contact.name.split(" ")[0] }) : t("priming.text.unnamed")),
      h("ul", { class: "priming-points" },
        h("li", {}, icon("lock"), h("span", {}, t("priming.sealed"))),
        h("li", {}, icon("key"), h("span", {}, t("priming.code"))),
        h("li", {}, icon("trash"), h("span", {}, t("priming.remove")))),
      h("a", { class: "button button-primary pay-button", href: `/cards/new?pay=${encodeURIComponent(this.id)}`, "data-link": true, "data-test": "priming-add" },
        icon("plus"), t("priming.action")));
  }

  /** @param {State} state */
  #unknown(state) {
    return h("div", { class: "unknown", "data-test": "unknown" },
      h("div", { class: "message-glyph unknown-glyph" }, icon("question")),
      h("h2", { class: "message-title", tabindex: "-1" }, t("pay.unknown.title")),
      h("p", { class: "unknown-sum", "data-test": "unknown-amount" }, state.amount.text),
      this.#recipient(state.contact),
      h("p", { class: "message-text" }, state.unknown?.text ?? ""),
      h("button", { class: "button button-primary pay-button", type: "button", "data-test": "check", onclick: () => this.#ask("check") }),
      h("div", { class: "unknown-retry" },
        h("button", { class: "button pay-button", type: "button", "data-test": "retry-same", onclick: () => this.#ask("retry") }, icon("reload"), t("pay.same")),
        h("p", { class: "pay-safety" }, t("pay.unknown.safety"))),
      h("div", { class: "unknown-give-up" }));
  }

  /**
   * Nothing was sent: an earlier payment of this amount to this contact is not known of. The user decides.
   *
   * @param {Wire.PaymentEarlier} earlier
   */
  #earlier(earlier) {
    return h("div", { class: "unknown", "data-test": "earlier" },
      h("div", { class: "message-glyph unknown-glyph" }, icon("question")),
      h("h2", { class: "message-title", tabindex: "-1" }, t("pay.earlier.title")),
      h("ul", { class: "earlier-list" }, earlier.lines.map((line) => h("li", { "data-test": "earlier-line" }, line))),
      earlier.failed && h("p", { class: "message-text", "data-test": "earlier-failed" }, earlier.failed),
      h("p", { class: "message-text" }, t("pay.earlier.text")),
      earlier.canRetry && h("p", { class: "message-text" }, t("pay.earlier.same")),
      earlier.canRetry && h("button", { class: "button button-primary pay-button", type: "button", "data-test": "earlier-same", onclick: () => this.#ask("retryEarlier", earlier.approved) }, t("pay.same")),
      h("button", { class: `button pay-button${earlier.canRetry ? "" : " button-primary"}`, type: "button", "data-test": "earlier-check", onclick: () => this.#ask("checkEarlier") }),
      h("button", { class: "button pay-button", type: "button", "data-test": "earlier-more", onclick: () => this.#ask("payOnceMore", earlier.approved) }, t("pay.earlier.more")),
      h("button", { class: "button button-quiet", type: "button", "data-test": "earlier-cancel", onclick: () => this.send("again") }, t("cancel")));
  }

  /** @param {State} state */
  #drawEarlier(state) {
    const isAsking = this.#asked !== null || state.isChecking;
    const isChecking = this.#asked === "checkEarlier" || state.isChecking;
    const check = this.#button("earlier-check");
    check?.setAttribute("aria-disabled", String(isAsking));
    if (check) replaceWhen(check, `${isChecking}`, () => [isChecking ? h("span", { class: "spinner", "aria-hidden": "true" }) : icon("search"), t("pay.earlier.check")]);
    for (const other of [this.#button("earlier-same"), this.#button("earlier-more"), this.#button("earlier-cancel")]) if (other) other.disabled = isAsking;
  }

  /**
   * A button of what stands instead of the form.
   *
   * @param {string} test
   */
  #button(test) {
    return /** @type {HTMLButtonElement | null} */ (find(this.#instead, `[data-test=${test}]`));
  }

  /**
   * Giving up asks first: nobody knows where the money is.
   *
   * @param {State | null} state
   */
  #drawGiveUp(state) {
    const place = find(this.#instead, ".unknown-give-up");
    if (!place) return;
    const can = state?.unknown?.canGiveUp ?? false;
    replaceWhen(place, `${can} ${this.#isGivingUp}`, () => can && (this.#isGivingUp
      ? h("div", { class: "card-question", role: "group", "aria-label": t("payments.giveUp.ask") }, h("span", { class: "card-question-text" }, t("payments.giveUp.ask")),
        h("button", { class: "button", type: "button", "data-test": "give-up-cancel", onclick: () => this.#askGiveUp(false) }, t("cancel")),
        h("button", { class: "button button-danger", type: "button", "data-test": "give-up-confirm", onclick: () => this.#ask("giveUp") }, t("payments.giveUp")))
      : h("button", { class: "button button-quiet", type: "button", "data-test": "give-up", onclick: () => this.#askGiveUp(true) }, t("payments.giveUp"))));
  }

  /** @param {boolean} isAsking */
  #askGiveUp(isAsking) {
    this.#isGivingUp = isAsking;
    this.#drawGiveUp(this.state);
    this.#button(isAsking ? "give-up-cancel" : "give-up")?.focus();
  }

  /**
   * The parts of it that change while it is shown; they keep the focus.
   *
   * @param {State} state
   */
  #drawUnknown(state) {
    const check = this.#button("check");
    const retry = this.#button("retry-same");
    if (!check || !retry?.parentElement) return;
    const isAsking = this.#asked !== null || state.isChecking;
    check.setAttribute("aria-disabled", String(isAsking));
    replaceWhen(check, `${isAsking}`, () => [isAsking ? h("span", { class: "spinner", "aria-hidden": "true" }) : icon("search"), t("pay.check")]);
    retry.disabled = isAsking;
    // After a restart nobody has the code any more: then only a check can tell.
    retry.parentElement.hidden = !state.canRetry;
    this.#drawGiveUp(state);
  }

  /** @param {{ name: string, username: string, initials: string, image: string | null } | null} contact */
  #recipient(contact) {
    if (!contact) return null;
    const picture = avatar();
    picture.draw(contact);
    return h("div", { class: "receipt-to" }, picture, h("span", {}, h("strong", {}, contact.name), h("span", { class: "receipt-username" }, contact.username)));
  }

  /**
   * @param {State} state
   * @param {Wire.PaymentReceipt} paid
   */
  #paid({ contact }, paid) {
    return [receipt(paid, this.#recipient({ image: null, initials: "", ...contact, ...paid })),
      receiptActions(paid),
      h("div", { class: "receipt-actions" },
        h("button", { class: "button button-primary pay-button", type: "button", "data-test": "done", onclick: () => this.#done() }, t("receipt.done")),
        h("a", { class: "button", href: "/payments", "data-link": true, "data-test": "receipt-history" }, icon("history"), t("receipt.history")))];
  }

  /**
   * After a verdict the first change begins anew.
   *
   * @param {HTMLElement} input
   * @param {() => unknown} send
   */
  #edit(input, send) {
    this.#fields.edited(input);
    if (isOver(this.state?.phase)) this.send("again", {}, "again");
    send();
    if (this.state) this.#drawPay(this.state);
  }

  /** @param {string} value */
  #typedCode(value) {
    this.#edit(this.#code.input, () => this.send("code", { value }, "code"));
  }

  /** @param {string} id */
  #choose(id) {
    if (this.#isPaying) return;
    if (isOver(this.state?.phase)) this.send("again", {}, "again");
    this.#code.clear();
    this.#fields.reset();
    this.send("code", { value: "" }, "code");
    this.send("chooseCard", { id });
    this.#code.focus();
  }

  #again() {
    this.send("again", {}, "again");
    this.#code.focus();
  }

  settled() {
    this.#fields.answered();
  }

  async #send() {
    const { digits } = this.#amount;
    if (!this.state || digits === null || this.#isPaying || !this.#mayPay(this.state)) return;
    this.#isPaying = true;
    this.#drawForm(this.state);
    announce(t("pay.sending"));
    // The payment is made in the amount on the button, with the card beside it. A model that meanwhile has another one does nothing.
    const { card } = this.state;
    const { id, doubts } = this.#attempts.begin(digits, card?.id ?? "");
    const arrived = await this.send("pay", { digits, attempt: id, ...(card && { card: card.id }), ...(doubts.length > 0 && { doubts: doubts.join(" ") }) });
    if (arrived || !this.#isPaying || this.state?.phase !== "ready") return;
    this.#isPaying = false;
    this.#drawForm(this.state);
  }

  /**
   * @param {Question} intent
   * @param {string[]} [approved] the earlier payments that the page shows as made
   */
  async #ask(intent, approved = []) {
    const before = this.state;
    if (this.#asked || !before) return;
    this.#asked = intent;
    this.render(before, before);
    if (intent === "check" || intent === "checkEarlier") announce(t("pay.checking"));
    const arrived = await (intent === "payOnceMore" || intent === "retryEarlier" ? this.send(intent, { approved: approved.join(" ") }) : this.send(intent));
    if (arrived || this.#asked !== intent || !this.state) return;
    this.#asked = null;
    this.render(this.state, this.state);
  }

  #done() {
    this.send("again");
    this.shell.paid();
  }

  #focusFirst() {
    this.#wasFocused = true;
    // On a phone the keyboard would come up before anyone asked for it.
    if (matchMedia("(hover: hover)").matches && this.shell.isFront(this) && this.shell.isFocusFree) this.#amount.focus();
  }

  /** @param {Phase} phase */
  #moveFocus(phase) {
    if (!this.shell.isFront(this)) return;
    const target = phase === "approved" ? "#receipt-title" : phase === "unknown" || phase === "earlier" ? ".unknown h2" : isOver(phase) ? "[data-test=again]" : null;
    if (target) find(this.element, target)?.focus({ preventScroll: true, focusVisible: false });
    if (target) scrollTo({ top: 0, behavior: "smooth" });
  }
}
