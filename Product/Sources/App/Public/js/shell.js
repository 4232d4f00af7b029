import { Connection } from "./components/connection.js";
import { developer } from "./components/developer.js";
import { icon } from "./components/icon.js";
import { hasShortcut, settings } from "./components/settings.js";
import { message } from "./components/states.js";
import { toast } from "./components/toast.js";
import { isRunning } from "./api.js";
import { carried, isLeaving, scrollBack, scrolled, stopScrolling } from "./carried.js";
import { drawOnce, find, frame, h, replaceWhen, rows, setText, target } from "./dom.js";
import { t } from "./i18n.js";
import { examine, hasLoggedOut } from "./token.js";

/**
 * An app in the navigation.
 *
 * @typedef {{ name: "feed" | "contacts" | "foaas" | "audio" | "drive", path: string, icon: import("./components/icon.js").Glyph }} Entry
 */

/**
 * The ways from a page to another one.
 *
 * @typedef {object} Ways
 * @property {(path: string) => void} go
 * @property {(path: string) => void} back goes back, or to the path if nothing of ours is behind the page
 * @property {() => void} closeComments
 * @property {() => void} paid goes on after a payment
 */

/**
 * Why nobody is let in: the link that was printed was not opened, the user has logged out here, has no link, or has one that lets in nobody.
 *
 * @typedef {"token" | "loggedOut" | "noLink" | "ended"} SignedOut
 */

/** True if the page is open on the machine that serves it. */
const isOwnMachine = () => ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);

/** The frame around the screens: navigation, tools, the status of the server. */
export class Shell {
  #nav = frame("nav");
  #main = frame("main");
  #status = frame("status");
  #progress = frame("progress");
  #reload = h("button", { class: "icon-button", type: "button", "data-test": "reload", onclick: () => this.#front()?.reload?.() }, icon("reload"));
  #connection = new Connection({ changed: (isOffered) => this.#developer.draw(isOffered), reload: () => this.#front()?.reload?.() });
  #developer = developer({ simulator: this.#connection.simulator, closed: () => find(frame("tools"), "[data-test=settings-button]")?.focus({ focusVisible: false }) });
  #entries;
  /** @type {Page | null} */
  #screen = null;
  /** The things that the page before this one has given along, until the first screen is shown. */
  #carried = carried;
  /**
   * All screens that are kept, shown or not.
   *
   * @type {Set<Page>}
   */
  #kept = new Set();
  /** True if the server does not answer, or not yet. */
  isLost = false;
  /** True if it answers that it waits for its database. */
  #isStarting = false;
  /** True if the server is on another machine, or behind a proxy: it is not the user's to start. */
  #isBehind = false;
  #signedOut = false;
  /**
   * The reason why nobody is let in, as the server tells it.
   *
   * @type {SignedOut}
   */
  #reason = "token";
  /** True if the server cannot tell who its users are. */
  #knowsNobody = false;
  /** True while the modules of the next page are loaded. */
  #isLoading = false;
  /**
   * The element that had the focus before that.
   *
   * @type {HTMLElement | null}
   */
  #focused = null;
  /** @type {Set<object>} */
  #busy = new Set();
  /**
   * The window over the screen, such as the comments on a picture.
   *
   * @type {Overlay | null}
   */
  overlay = null;
  /**
   * The card that was saved a moment ago: it gets the focus in the list of cards.
   *
   * @type {string | null}
   */
  savedCard = null;
  /**
   * The news beside the screens.
   *
   * @type {Wire.ShellNews | null}
   */
  #news = null;
  /**
   * The outcomes of payments that are still to be told.
   *
   * @type {string[]}
   */
  #untold = [];

  /**
   * @param {Entry[]} entries
   * @param {Ways} ways
   */
  constructor(entries, { go, back, closeComments, paid }) {
    this.#entries = entries;
    this.go = go;
    this.back = back;
    this.closeComments = closeComments;
    this.paid = paid;
    const menu = settings({ isHeld: () => this.isHeld, settle: async () => this.#front()?.settle?.(), changed: () => this.#draw(), more: this.#developer.way });
    frame("tools").append(this.#connection.element, this.#reload, menu);
    if (carried?.isChosenHere) menu.reopen();
    this.#draw();
    // A heading changes when its state comes, or when there is a message in the place of the page.
    new MutationObserver(() => this.#drawTitle()).observe(document.body, { childList: true, characterData: true, subtree: true });
    this.#connection.load();
    document.addEventListener("aquifer:lost", (event) => this.lost(event instanceof CustomEvent ? event.detail : ""));
    document.addEventListener("aquifer:starting", () => this.#starting());
    document.addEventListener("aquifer:found", () => this.#found());
    document.addEventListener("aquifer:news", (event) => event instanceof CustomEvent && this.#tell(event.detail));
    document.addEventListener("aquifer:signed-out", (event) => this.#signOut(event instanceof CustomEvent ? event.detail : "token"));
    document.addEventListener("aquifer:link", (event) => event instanceof CustomEvent && this.#tellOfLink(event.detail));
    examine();
    addEventListener("keydown", (event) => this.#key(event));
    // The browser asks before it loads or closes a page that would lose something; who was asked here is not asked again.
    addEventListener("beforeunload", (event) => !isLeaving() && this.isHeld && event.preventDefault());
  }

  /**
   * Shows a screen in the place of another; each keeps its scroll position and focus.
   *
   * @param {Page} screen
   * @param {Cause} cause
   */
  present(screen, cause) {
    if (this.#signedOut) return;
    if (this.#screen === screen) {
      if (cause === "link") scrollTo({ top: 0, behavior: "smooth" });
      return this.#draw();
    }
    if (this.#screen) {
      this.#screen.scroll = scrolled();
      const focused = document.activeElement;
      if (focused instanceof HTMLElement && this.#main.contains(focused)) this.#screen.focused = focused;
      this.#screen.hide?.();
      this.#screen.element.hidden = true;
    }
    this.#screen = screen;
    this.#kept.add(screen);
    const isNew = !screen.element.isConnected;
    if (isNew) this.#main.append(screen.element);
    screen.element.hidden = false;
    screen.show?.();
    const before = this.#carried;
    this.#carried = null;
    this.#scroll(screen, cause, before, isNew);
    this.#tellFound();
    if (cause === "history" && screen.focused?.isConnected) screen.focused.focus({ preventScroll: true });
    else if (cause !== "start" || before?.isSamePage === false) find(screen.element, "h1")?.focus({ preventScroll: true, focusVisible: false });
    this.#draw();
  }

  /**
   * Scrolls to where the page was: its own place for the browser's back, forward and reload, else that of the screen.
   *
   * @param {Page} screen
   * @param {Cause} cause
   * @param {typeof carried} before
   * @param {boolean} isNew
   */
  #scroll(screen, cause, before, isNew) {
    stopScrolling();
    if (before?.isSamePage) return scrollBack(this.#main, before.scroll);
    const place = cause === "link" || screen.restoresScroll ? null : history.state?.scroll;
    const top = place ?? screen.scroll ?? 0;
    scrollTo(0, top);
    // A page that is drawn anew gets its length later.
    if (top > 0 && (isNew || Math.abs(scrollY - top) > 1)) scrollBack(this.#main, top);
  }

  /**
   * A screen that will not come back.
   *
   * @param {Page} screen
   */
  leave(screen) {
    this.#kept.delete(screen);
    if (this.#screen !== screen) return;
    screen.hide?.();
    this.busy(screen, false);
    this.#screen = null;
  }

  /** @param {object} screen */
  isFront(screen) {
    return this.#front() === screen;
  }

  /** True if loading the page again would lose something: it is typed here and kept nowhere else, or is being done. */
  get isHeld() {
    /** @type {NodeListOf<HTMLInputElement | HTMLTextAreaElement>} */
    const found = this.#main.querySelectorAll("input.field-input, textarea");
    const fields = [...found];
    return fields.some((field) => field.value !== "" && field.dataset.kept === undefined) || [...this.#kept].some((screen) => screen.isWorking);
  }

  /** True unless something around the screens has the focus, such as an open panel. */
  get isFocusFree() {
    return !find(document.body, ".popover-anchor:focus-within");
  }

  /**
   * @param {object} screen
   * @param {boolean} isBusy
   */
  busy(screen, isBusy) {
    if (isBusy) this.#busy.add(screen);
    else this.#busy.delete(screen);
    this.#drawProgress();
  }

  /**
   * Says whether the modules of the next page are being loaded. The one before it is seen until then, and takes no input.
   *
   * @param {boolean} isLoading
   */
  loading(isLoading) {
    this.#isLoading = isLoading;
    const focused = document.activeElement;
    if (isLoading && focused instanceof HTMLElement && this.#main.contains(focused)) this.#focused = focused;
    this.#main.inert = isLoading;
    // A part of the page that takes no input loses the focus. The screen remembers where it was when it is left.
    if (!isLoading && document.activeElement === document.body) this.#focused?.focus({ preventScroll: true });
    if (!isLoading) this.#focused = null;
    this.#drawProgress();
  }

  #drawProgress() {
    const now = this.#isLoading || (this.#screen !== null && this.#busy.has(this.#screen));
    this.#progress.hidden = !now;
    this.#main.setAttribute("aria-busy", String(now));
    this.#reload.classList.toggle("turning", now);
  }

  /**
   * The server does not answer: say so, and look for it until it does.
   *
   * @param {string} kind The kind of error that was the last answer: "gateway" if a proxy has said so, "users" if the server cannot tell who
   *   its users are.
   */
  lost(kind = "") {
    if (this.isLost || this.#signedOut) return;
    this.isLost = true;
    this.#knowsNobody = kind === "users" || kind === "leaving";
    this.#isBehind = kind === "gateway" || !isOwnMachine();
    this.#drawStatus();
    const look = async () => {
      if (!this.isLost) return;
      if (await isRunning()) document.dispatchEvent(new Event("aquifer:found"));
      else setTimeout(look, 2000);
    };
    setTimeout(look, 2000);
  }

  #starting() {
    this.#isStarting = true;
    this.lost();
    this.#drawStatus();
  }

  /** @returns {Page | null} */
  #front() {
    return this.overlay ?? this.#screen;
  }

  /**
   * A link was opened while somebody is logged in: it is no good, or it is another user's.
   *
   * @param {{ decision: "ask" | "refuse", current: string | null, name: string | null, accept: (() => void) | null }} link
   */
  #tellOfLink({ current, name, accept }) {
    if (!accept) return toast(t(current === null ? "link.refused" : "link.refused.user", { current }));
    find(document.body, "[data-test=link-question]")?.remove();
    /** @type {HTMLElement} */
    const question = h("div", { class: "status-area", role: "alertdialog", "aria-labelledby": "link-question", "data-test": "link-question" },
      h("div", { class: "link-question" },
        icon("key"),
        h("div", { class: "link-question-text" }, h("strong", { id: "link-question" }, t("link.ask", { name })), h("span", {}, t("link.ask.text", { current, name }))),
        h("div", { class: "link-question-ways" },
          h("button", { class: "button button-primary", type: "button", "data-test": "link-stay", onclick: () => question.remove() }, t("link.stay", { current })),
          h("button", { class: "button", type: "button", "data-test": "link-accept", onclick: accept }, t("link.accept", { name })))));
    this.#status.before(question);
    find(question, "[data-test=link-stay]")?.focus({ focusVisible: false });
  }

  #found() {
    if (!this.isLost) return;
    [this.isLost, this.#isStarting] = [false, false];
    this.#drawStatus();
    toast(t(this.#isBehind ? "lost.behind.back" : "lost.back"));
  }

  /**
   * Shows how many payments have an unknown outcome, and tells one that was found meanwhile. An outcome that was found before the page
   * was loaded is no news.
   *
   * @param {Wire.ShellNews} news
   */
  #tell(news) {
    const before = this.#news;
    this.#news = news;
    this.#drawBadge();
    if (!before || !news.found || news.found.id === before.found?.id) return;
    this.#untold.push(news.found.text);
    this.#tellFound();
  }

  /** Nobody who is paying is told how another payment ended: they might take it for this one. They hear it when they leave. */
  #tellFound() {
    if (!this.#screen?.isPayment) for (const text of this.#untold.splice(0)) toast(text);
  }

  #drawBadge() {
    const count = this.#news?.unresolved ?? 0;
    const link = rows(this.#nav).find((row) => row.dataset.name === "contacts");
    if (!link) return;
    const badge = find(link, ".tab-badge");
    if (badge) {
      badge.hidden = count === 0;
      setText(badge, String(count));
    }
    if (count > 0) link.setAttribute("aria-label", t("nav.contacts.unresolved", { count }));
    else link.removeAttribute("aria-label");
  }

  /** @param {unknown} reason */
  #signOut(reason) {
    if (reason === "noLink" || reason === "loggedOut") this.#reason = hasLoggedOut() ? "loggedOut" : reason === "noLink" ? "noLink" : "ended";
    // A stream may have heard that the link has ended before this browser knew that its user has logged out.
    if (this.#signedOut) return this.#draw();
    this.#signedOut = true;
    this.overlay?.close();
    this.#screen?.hide?.();
    this.isLost = false;
    this.#connection.element.hidden = true;
    this.#developer.way.hidden = true;
    this.#reload.hidden = true;
    document.body.classList.add("signed-out");
    this.#draw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const typing = target(event)?.closest("input:not([type=radio]), textarea, select, [contenteditable]");
    if (typing || event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "r" && hasShortcut()) this.#front()?.reload?.();
    if (event.key === "Escape" && !this.overlay) this.#screen?.dismiss?.();
  }

  #draw() {
    setText(frame("skip"), t("skip"));
    this.#nav.setAttribute("aria-label", t("nav.label"));
    this.#reload.setAttribute("aria-label", t("reload"));
    this.#reload.title = hasShortcut() ? `${t("reload")} (R)` : t("reload");
    if (hasShortcut()) this.#reload.setAttribute("aria-keyshortcuts", "r");
    else this.#reload.removeAttribute("aria-keyshortcuts");
    drawOnce(this.#nav, () => this.#entries.map((entry) =>
      h("a", { class: "tab", href: entry.path, "data-link": true, "data-test": `nav-${entry.name}`, "data-name": entry.name },
        icon(entry.icon), h("span", {}, t(`nav.${entry.name}`)),
        entry.name === "contacts" && h("b", { class: "tab-badge", hidden: true, "aria-hidden": "true", "data-test": "nav-badge" }))));
    this.#drawBadge();
    for (const link of rows(this.#nav)) {
      if (link.dataset.name === this.#screen?.name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (this.#signedOut) {
      const words = { token: "signedOut", loggedOut: "loggedOut", noLink: "noLink", ended: "ended" }[this.#reason];
      const text = t(`${words}.text`, { command: "aquifer serve" });
      this.#main.replaceChildren(message({ glyph: "key", title: t(`${words}.title`), text, test: "signed-out", level: "h1" }));
      this.#progress.hidden = true;
    }
    this.#drawTitle();
    this.#drawStatus();
  }

  /** The document is called what its page is headed, in each of its states. */
  #drawTitle() {
    const page = this.#front();
    const heading = find(this.#signedOut ? this.#main : page?.element ?? this.#main, "h1")?.textContent?.replace(/\s+/g, " ").trim() || page?.title;
    const title = heading ? `${heading} · Aquifer` : "Aquifer";
    if (document.title !== title) document.title = title;
  }

  #drawStatus() {
    const lost = this.#isStarting ? "lost.starting" : this.#knowsNobody ? "lost.users" : this.#isBehind ? "lost.behind" : "lost";
    const key = this.isLost ? lost : "";
    replaceWhen(this.#status, key, () => this.isLost && h("div", { class: "lost", role: "alert", "data-test": "server-lost" },
      icon("plug"), h("div", {}, h("strong", {}, t(`${lost}.title`)), h("span", {}, t(`${lost}.text`, { command: "aquifer serve" }))),
      h("span", { class: "spinner", "aria-hidden": "true" })));
  }

  /** A page has another title, or another page is in front. */
  titleChanged() {
    this.#draw();
  }
}
