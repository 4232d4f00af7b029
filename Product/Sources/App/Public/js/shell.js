import { ConnectionSwitch } from "./components/connection.js";
import { icon } from "./components/icon.js";
import { settings } from "./components/settings.js";
import { message } from "./components/states.js";
import { toast } from "./components/toast.js";
import { address, request } from "./api.js";
import { drawOnce, h, replaceWhen } from "./dom.js";
import { t } from "./i18n.js";

/** What stands around the screens: navigation, tools, the status of the server. */
export class Shell {
  #nav = document.getElementById("nav");
  #main = document.getElementById("main");
  #status = document.getElementById("status");
  #reload = h("button", { class: "icon-button", type: "button", "data-test": "reload", "aria-keyshortcuts": "r", onclick: () => this.#front().reload?.() }, icon("reload"));
  #connection = new ConnectionSwitch();
  #entries;
  #screen = null;
  #isLost = false;
  #signedOut = false;
  #busy = new Set();
  comments = null;

  constructor(entries) {
    this.#entries = entries;
    document.getElementById("tools").append(this.#connection.element, this.#reload, settings({
      isHeld: () => this.isHeld, settle: async () => this.#front()?.settle?.(),
    }));
    this.#draw();
    this.#connection.load();
    document.addEventListener("aquifer:lost", () => this.lost());
    document.addEventListener("aquifer:found", () => this.#found());
    document.addEventListener("aquifer:signed-out", () => this.#signOut());
    addEventListener("keydown", (event) => this.#key(event));
  }

  /** Shows a screen in the place of another; each keeps its scroll position and focus. */
  present(screen, cause) {
    if (this.#signedOut) return;
    if (this.#screen === screen) {
      if (cause === "link") scrollTo({ top: 0, behavior: "smooth" });
      return this.#draw();
    }
    if (this.#screen) {
      this.#screen.scroll = scrollY;
      this.#screen.focused = this.#main.contains(document.activeElement) ? document.activeElement : this.#screen.focused;
      this.#screen.hide?.();
      this.#screen.element.hidden = true;
    }
    this.#screen = screen;
    if (!screen.element.isConnected) this.#main.append(screen.element);
    screen.element.hidden = false;
    screen.show?.();
    scrollTo(0, screen.scroll ?? 0);
    if (cause === "history" && screen.focused?.isConnected) screen.focused.focus({ preventScroll: true });
    else if (cause !== "start") screen.element.querySelector("h1")?.focus({ preventScroll: true, focusVisible: false });
    this.#draw();
  }

  /** A screen that will not come back. */
  leave(screen) {
    if (this.#screen !== screen) return;
    screen.hide?.();
    this.busy(screen, false);
    this.#screen = null;
  }

  isFront(screen) {
    return this.#front() === screen;
  }

  /** True if loading the page again would lose something: it is typed here and kept nowhere else, or is being done. */
  get isHeld() {
    const fields = [...this.#main.querySelectorAll("input.field-input, textarea")];
    return fields.some((field) => field.value !== "" && field.dataset.kept === undefined) || Boolean(this.#front()?.isWorking);
  }

  busy(screen, isBusy) {
    if (isBusy) this.#busy.add(screen);
    else this.#busy.delete(screen);
    const now = this.#busy.has(this.#screen);
    document.getElementById("progress").hidden = !now;
    this.#main.setAttribute("aria-busy", String(now));
    this.#reload.classList.toggle("turning", now);
  }

  /** The server does not answer: say so, and look for it until it does. */
  lost() {
    if (this.#isLost || this.#signedOut) return;
    this.#isLost = true;
    this.#drawStatus();
    const look = async () => {
      if (!this.#isLost) return;
      try {
        await request("GET", address("/api/connection"));
        document.dispatchEvent(new Event("aquifer:found"));
      } catch {
        setTimeout(look, 2000);
      }
    };
    setTimeout(look, 2000);
  }

  #front() {
    return this.comments ?? this.#screen;
  }

  #found() {
    if (!this.#isLost) return;
    this.#isLost = false;
    this.#drawStatus();
    toast(t("lost.back"));
  }

  #signOut() {
    if (this.#signedOut) return;
    this.#signedOut = true;
    this.comments?.close();
    this.#screen?.hide?.();
    this.#isLost = false;
    this.#connection.element.hidden = true;
    document.body.classList.add("signed-out");
    this.#draw();
  }

  #key(event) {
    const typing = event.target.closest?.("input:not([type=radio]), textarea, select, [contenteditable]");
    if (typing || event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "r") this.#front()?.reload?.();
    if (event.key === "Escape" && !this.comments) this.#screen?.dismiss?.();
  }

  #draw() {
    document.querySelector(".skip-link").textContent = t("skip");
    this.#nav.setAttribute("aria-label", t("nav.label"));
    this.#reload.setAttribute("aria-label", t("reload"));
    this.#reload.title = `${t("reload")} (R)`;
    drawOnce(this.#nav, () => this.#entries.map((entry) =>
      h("a", { class: "tab", href: entry.path, "data-link": true, "data-test": `nav-${entry.name}`, "data-name": entry.name },
        icon(entry.icon), h("span", {}, t(`nav.${entry.name}`)))));
    for (const link of this.#nav.children) {
      if (link.dataset.name === this.#screen?.name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const title = (this.comments ?? this.#screen)?.title;
    document.title = title ? `${title} · Aquifer` : "Aquifer";
    if (this.#signedOut) {
      this.#main.replaceChildren(message({ glyph: "key", title: t("signedOut.title"), text: t("signedOut.text", { command: "aquifer serve" }), test: "signed-out", level: "h1" }));
      document.getElementById("progress").hidden = true;
    }
    this.#drawStatus();
  }

  #drawStatus() {
    const key = this.#isLost ? "lost" : "";
    replaceWhen(this.#status, key, () => this.#isLost && h("div", { class: "lost", role: "alert", "data-test": "server-lost" },
      icon("plug"), h("div", {}, h("strong", {}, t("lost.title")), h("span", {}, t("lost.text", { command: "aquifer serve" }))),
      h("span", { class: "spinner", "aria-hidden": "true" })));
  }

  /** Opened and closed by the router, through `main.js`. */
  titleChanged() {
    this.#draw();
  }
}
