import { address, request } from "../api.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { choices, popover } from "./popover.js";
import { toast } from "./toast.js";

/** The switch in the corner that drives the reference remotes. Hidden where there are none. */
export class ConnectionSwitch {
  #button = h("button", { class: "connection-button", type: "button", "data-test": "connection-button" });
  #panel = h("div", { id: "connection-panel", "data-test": "connection-panel" });
  /** @type {Wire.ConnectionSwitch | null} */
  #state = null;
  /** Counts the questions: an answer that a later choice has overtaken is old news. */
  #turn = 0;
  #isLoading = false;
  element = popover({ button: this.#button, panel: this.#panel, onOpen: () => this.load() });

  constructor() {
    this.element.hidden = true;
    // A server that was gone may run in another mode; the first connection of a screen tells nothing new.
    document.addEventListener("aquifer:found", (event) => {
      const isNew = this.#state === null && !this.#isLoading;
      if (isNew || !(event instanceof CustomEvent && event.detail === "first")) this.load();
    });
    // Another tab or the command line may have switched it meanwhile.
    addEventListener("focus", () => this.load());
  }

  async load() {
    const turn = this.#turn;
    this.#isLoading = true;
    try {
      const state = /** @type {Wire.ConnectionSwitch} */ (await request("GET", address("/api/connection")));
      if (turn === this.#turn) this.#show(state);
    } catch {
      // Without a server there is nothing to switch; the page says so elsewhere.
    }
    this.#isLoading = false;
  }

  /** @param {string} mode */
  async #choose(mode) {
    const turn = ++this.#turn;
    try {
      const state = /** @type {Wire.ConnectionSwitch} */ (await request("PUT", address("/api/connection"), { mode }));
      if (turn !== this.#turn) return;
      this.#turn += 1;
      this.#show(state);
      toast(t("connection.changed", { mode: t(`connection.${mode}`) }));
    } catch {
      toast(t("connection.failed"), "danger");
      this.load();
    }
  }

  /** @param {Wire.ConnectionSwitch} state */
  #show(state) {
    const same = JSON.stringify(state) === JSON.stringify(this.#state);
    this.#state = state;
    if (!same) this.#draw();
  }

  #draw() {
    if (!this.#state) return;
    const { available, mode, modes } = this.#state;
    this.element.hidden = !available;
    if (!available) return;
    this.#button.replaceChildren(
      h("span", { class: `mode-dot mode-${mode}`, "aria-hidden": "true" }),
      h("span", { class: "connection-label" }, t(`connection.${mode}`)));
    this.#button.setAttribute("aria-label", `${t("connection")}: ${t(`connection.${mode}`)}`);
    this.#button.dataset.mode = mode;
    if (this.#panel.childElementCount) {
      // Radios that have the focus are kept; only their mark moves.
      // A mode that is not offered here can have been set by other means.
      /** @type {HTMLInputElement | null} */
      const now = this.#panel.querySelector(`input[value="${CSS.escape(mode)}"]`);
      if (now) now.checked = true;
      return;
    }
    this.#panel.replaceChildren(
      choices({
        name: "connection", title: t("connection"), value: mode, className: "choices-tall",
        options: modes.map((id) => ({ id, label: t(`connection.${id}`), hint: t(`connection.${id}.hint`) })),
        onChange: (id) => this.#choose(id),
      }),
      h("p", { class: "popover-hint" }, t("connection.hint")));
  }
}
