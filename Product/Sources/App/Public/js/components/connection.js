import { address, request } from "../api.js";
import { h, replaceWhen } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";
import { choices, mark, popover } from "./popover.js";
import { toast } from "./toast.js";

/** The modes that are no simulated trouble: the page then says what its user can count on. */
const PLAIN = ["online", "offline"];

/**
 * The connection: what a user is told of it in the corner, and the simulator of it for developers, where the server offers one.
 */
export class Connection {
  #button = h("button", { class: "connection-button", type: "button", "data-test": "connection-button" });
  #panel = h("div", { id: "connection-panel", "data-test": "connection-panel" });
  /** @type {Wire.ConnectionSwitch | null} */
  #state = null;
  /** The state of the machine's network that was heard last. */
  #network = "";
  /** Counts the questions: an answer that a later choice has overtaken is old news. */
  #turn = 0;
  #isLoading = false;
  #options;
  /** The user sees this in the corner. Nothing stands there until it is known. */
  element = popover({ button: this.#button, panel: this.#panel, onOpen: () => this.load() });
  /** The modes to choose from. Empty where there is no simulator. */
  simulator = h("div", { id: "simulator", "data-test": "simulator" });

  /** @param {{ changed: (isOffered: boolean) => void, reload: () => void }} options `changed` hears whether there is a simulator */
  constructor(options) {
    this.#options = options;
    this.element.hidden = true;
    // A server that was gone may run in another mode; the first connection of a screen tells nothing new.
    document.addEventListener("aquifer:found", (event) => {
      const isNew = this.#state === null && !this.#isLoading;
      if (isNew || !(event instanceof CustomEvent && event.detail === "first")) this.load();
    });
    document.addEventListener("aquifer:news", (event) => event instanceof CustomEvent && this.#hear(event.detail));
    // The first good answer after a trouble shows that it is over, even if another page or the command line has ended it.
    document.addEventListener("aquifer:state", () => this.#state !== null && this.#state.mode !== "online" && !this.#isLoading && this.load());
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
      // Without a server there is nothing to tell; the page says so elsewhere.
    }
    this.#isLoading = false;
  }

  /** @param {Wire.ShellNews} news */
  #hear({ network }) {
    const isNew = this.#network !== "" && this.#network !== network;
    this.#network = network;
    if (isNew) this.load();
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
    if (!same) this.#draw(state);
  }

  /** @param {Wire.ConnectionSwitch} state */
  #draw({ available, mode, modes }) {
    // A system that does not tell is not guessed about.
    this.element.hidden = mode === "unknown";
    // A trouble is told by a shape, not by a colour alone: there is no room for its name on a phone.
    this.#button.replaceChildren(
      mode === "online" ? h("span", { class: "mode-dot mode-online", "aria-hidden": "true" }) : icon(mode === "offline" ? "offline" : "alert"),
      h("span", { class: "connection-label" }, t(`connection.${mode}`)));
    this.#button.setAttribute("aria-label", `${t("connection")}: ${t(`connection.${mode}`)}`);
    this.#button.dataset.mode = mode;
    const status = `connection.status.${PLAIN.includes(mode) ? mode : "trouble"}`;
    replaceWhen(this.#panel, status, () => [
      h("p", { class: "connection-title", "data-test": "connection-title" }, h("span", { class: `mode-dot mode-${mode}`, "aria-hidden": "true" }), h("strong", {}, t(`${status}.title`))),
      h("p", { class: "popover-hint" }, t(`${status}.text`)),
      h("div", { class: "connection-ways" },
        h("button", { class: "button", type: "button", "data-test": "connection-reload", onclick: () => this.#options.reload() }, icon("reload"), t("reload")),
        h("a", { class: "button", href: "/outbox", "data-link": true, "data-test": "connection-outbox" }, icon("outbox"), t("connection.outbox")))]);
    // Radios that have the focus are kept; only their mark moves. A mode that is not offered here can have been set by other means.
    replaceWhen(this.simulator, `${available} ${modes}`, () => available && [
      choices({
        name: "connection", title: t("developer.simulator"), value: mode, className: "choices-tall",
        options: modes.map((id) => ({ id, label: t(`connection.${id}`), hint: t(`connection.${id}.hint`) })),
        onChange: (id) => this.#choose(id),
      }),
      h("p", { class: "popover-hint" }, t("connection.hint"))]);
    mark(this.simulator, "connection", mode);
    this.#options.changed(available);
  }
}
