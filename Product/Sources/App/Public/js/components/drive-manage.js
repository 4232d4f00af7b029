import { drawOnce, find, h, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { Form, field, fieldError } from "./form.js";
import { icon } from "./icon.js";
import { spendQuestion } from "./spend.js";
import { typedConfirmation } from "./typed-confirmation.js";

/**
 * The operations on the account itself. Their progress is shown below the amount.
 *
 * @type {Set<string | undefined>}
 */
const DOINGS = new Set(["addingStorage", "reducingStorage", "makingImmutable", "askingForDeletion", "keepingAccount", "claiming"]);

/** @typedef {Partial<Wire.DriveAccountState>} State */

/**
 * More storage, less of it, what can be claimed, and the two ends: immutable, or deleted.
 *
 * @param {{ send: Send<"drive-account">, isSettled: () => boolean, dismiss: () => void, onClose: () => void }} options `onClose` gives the focus back
 */
export function driveManage({ send, isSettled, dismiss, onClose }) {
  /** @type {State} */
  let state = {};
  /** True if less storage is wanted, not more. */
  let isReducing = false;
  /**
   * The size and the price that are asked about, as they were shown: no state changes a question that is open.
   *
   * @type {import("./spend.js").Asked | null}
   */
  let asked = null;
  /** The size that was confirmed last. */
  let confirmed = "";
  const title = h("h2", { class: "drive-heading", tabindex: "-1", "data-test": "manage-title" });
  const cost = h("p", { class: "field-hint", id: "drive-amount-cost", role: "status", "data-test": "amount-cost" });
  const { label, input: amount, error } = field({ id: "drive-amount", test: "amount", hint: cost, attributes: { autocomplete: "off", autocapitalize: "off", placeholder: "10\u00a0MB", oninput: () => {
    forget();
    asked = null;
    isReducing = false;
    send("amount", { text: amount.value }, "amount");
    draw(state);
  } } });
  const balance = h("p", { class: "field-hint", "data-test": "balance" });
  const add = h("button", { class: "button button-primary", type: "submit", "data-test": "add-storage" });
  const reduce = h("button", { class: "button", type: "button", "data-test": "reduce-storage", onclick: () => {
    forget();
    isReducing = true;
    fields.attempt(() => send("reduceStorage", { size: amount.value }));
  } });
  const question = spendQuestion({ onConfirm: () => {
    const { size, spend } = asked ?? { size: "", spend: null };
    show(false);
    confirmed = size;
    send("addStorage", { size, cost: spend?.shades ?? "" });
  }, onCancel: () => show(false) });
  const amountField = h("div", { class: "field" }, label, amount, error, cost, balance, h("div", { class: "drive-amount-line" }, add, reduce));
  const storage = h("form", { class: "drive-storage", novalidate: true }, amountField, question);
  const wrong = () => state.amountProblem ?? (isReducing ? null : state.addProblem);
  const fields = new Form([{ input: amount, error, problem: wrong }], {
    isHeard: () => isSettled() && state.amount === amount.value.trim(),
    // An amount that did not arrive is said again.
    tell: () => isSettled() && send("amount", { text: amount.value }, "amount"), isReady: () => !wrong(), isBusy: () => Boolean(state.action), send: () => show(true),
  });
  storage.addEventListener("submit", (event) => {
    event.preventDefault();
    forget();
    isReducing = false;
    if (!asked) fields.attempt();
  });
  const problem = fieldError("drive-manage-problem", "manage-problem");
  const unstaked = offer("claim", "card", "claim");
  const deletion = offer("keep-account", "history", "keepAccount");
  const lock = typedConfirmation({ id: "drive-lock", test: "immutable", typedTest: "typed", glyph: "lock", words: "drive.immutable",
    onClose, onConfirm: (typed) => confirm("makeImmutable", typed) });
  const end = typedConfirmation({ id: "drive-end", test: "deletion", typedTest: "deletion-typed", glyph: "trash", words: "drive.deletion",
    onClose, onConfirm: (typed) => confirm("deleteAccount", typed) });
  const element = h("section", { class: "drive-section drive-manage", hidden: true, "data-test": "manage" }, title, storage, unstaked, deletion, lock, end);

  /** What did not work is not said any longer once it is changed or tried again. */
  function forget() {
    if (tells(state)) dismiss();
  }

  /**
   * Says what did not work where it was begun: below the amount, in the offer that was taken, or below the heading, to which the ends of
   * the account give the focus.
   *
   * @param {string} words
   */
  function tell(words) {
    const kind = state.failed?.kind;
    const [place, before] = kind === "addingStorage" || kind === "reducingStorage" ? [amountField, cost] : kind === "claiming" ? [unstaked, null]
      : kind === "keepingAccount" ? [deletion, null] : [element, storage];
    if (problem.parentElement !== place) place.insertBefore(problem, before);
    setText(problem, words);
    problem.hidden = words === "";
  }

  /**
   * What comes of it is told here, so the focus stays here, too.
   *
   * @param {"makeImmutable" | "deleteAccount"} intent
   * @param {string} typed
   */
  function confirm(intent, typed) {
    send(intent, { typed });
    title.focus({ preventScroll: true, focusVisible: false });
  }

  /**
   * A sentence, and a button for what can be done about it.
   *
   * @param {string} test
   * @param {import("./icon.js").Glyph} glyph
   * @param {"claim" | "keepAccount"} intent
   */
  function offer(test, glyph, intent) {
    const text = h("p", { "data-test": `${test}-text` });
    const button = h("button", { class: "button", type: "button", "data-test": test, onclick: () => state.action || send(intent) });
    const box = h("div", { class: "drive-offer", hidden: true }, text, button);
    /**
     * @param {string | null | undefined} words
     * @param {string} title
     */
    const draw = (words, title) => {
      box.hidden = !words;
      setText(text, words ?? "");
      replaceWhen(button, title, () => [icon(glyph), title]);
      button.setAttribute("aria-disabled", String(Boolean(state.action)));
    };
    return Object.assign(box, { draw });
  }

  /**
   * Storage is paid for after its price was shown.
   *
   * @param {boolean} isShown
   */
  function show(isShown) {
    asked = isShown ? { size: amount.value.trim(), spend: priced() } : null;
    draw(state);
    (isShown ? find(question, "[data-test=spend-confirm]") : add)?.focus();
    if (isShown) question.scrollIntoView({ block: "nearest" });
  }

  /** The price of what this page shows: the state may tell that of another tab. */
  const priced = () => (state.amount === amount.value.trim() && !wrong() ? state.spend : null);

  /** The price is another one: the same size is asked about again, with the new price. */
  const askAgain = () => {
    if (confirmed !== "" && state.amount === confirmed && amount.value.trim() === confirmed) show(true);
  };

  /** Clears the fields once their operation is done. */
  const done = () => {
    amount.value = "";
    fields.reset();
    send("amount", { text: "" }, "amount");
  };

  /**
   * True if the error is shown here, beside the button that was pressed.
   *
   * @param {State} state
   */
  const tells = ({ problem: words, failed }) => Boolean(words) && DOINGS.has(failed?.kind);

  /** @param {State} now */
  const draw = (now) => {
    state = now;
    if (!state.name) return;
    const isBusy = Boolean(state.action);
    const spend = priced();
    const focused = document.activeElement;
    setText(title, t("drive.storage"));
    setText(label, t(state.isImmutable ? "drive.amount.immutable" : "drive.amount"));
    setText(cost, state.action && DOINGS.has(state.action.kind) ? t(`drive.doing.${state.action.kind}`)
      : spend && amount.value ? t("drive.cost", spend)
      : state.isImmutable ? t("drive.amount.more") : t("drive.amount.hint", state));
    balance.title = state.balanceExact ?? "";
    setText(balance, state.balanceText ? t("drive.balance", state) : "");
    balance.hidden = !state.balanceText;
    if (isBusy) asked = null;
    question.draw(asked);
    fields.draw();
    tell(tells(state) ? state.problem ?? "" : "");
    drawOnce(add, () => [icon("plus"), t("drive.add")]);
    add.setAttribute("aria-disabled", String(isBusy));
    drawOnce(reduce, () => t("drive.reduce"));
    reduce.setAttribute("aria-disabled", String(isBusy));
    reduce.hidden = Boolean(state.isImmutable);
    unstaked.draw(state.unstakedText, t("drive.claim"));
    deletion.draw(state.isToBeDeleted ? t("drive.deletion.asked") : null, t("drive.deletion.undo"));
    const way = { name: state.confirmation, isBusy, isHidden: Boolean(state.isImmutable || state.isToBeDeleted) };
    lock.draw({ ...way, stakeText: state.stakeText });
    end.draw(way);
    // The pressed button may be gone after its operation.
    if (focused && element.contains(focused) && !focused.checkVisibility()) title.focus({ preventScroll: true, focusVisible: false });
  };
  /**
   * The ways to the two ends of the account.
   *
   * @returns {import("./menu.js").Item[]}
   */
  const ends = () => (!state.name || !state.isOwner || state.isImmutable || state.isToBeDeleted ? [] : [
    { test: "immutable-open", glyph: "lock", label: t("drive.immutable.make"), isDanger: true, run: lock.ask },
    { test: "deletion-open", glyph: "trash", label: t("drive.deletion.make"), isDanger: true, run: end.ask }]);
  return Object.assign(element, { done, tells, draw, ends, askAgain, answered: () => fields.answered() });
}
