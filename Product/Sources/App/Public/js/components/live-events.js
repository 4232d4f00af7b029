import { h, keyed, setText } from "../dom.js";
import { language, t } from "../i18n.js";
import { ModelScreen } from "../screen.js";

/** @param {Wire.InspectorEvent} event */
export function eventRow({ date, subject, text, isTrouble }) {
  return h("li", { class: isTrouble ? "event event-trouble" : "event", "data-test": "event" },
    h("time", { datetime: date }, new Date(date).toLocaleTimeString(language())), h("code", {}, subject), h("span", {}, text));
}

/**
 * What the engine does, as it happens: a part of the inspector's page.
 *
 * @extends {ModelScreen<"inspector">}
 */
export class LiveEvents extends ModelScreen {
  #title = h("h2", { id: "live-title" });
  #text = h("p", { class: "page-intro" });
  #clear = h("button", { class: "button", type: "button", "data-test": "clear-events", onclick: () => this.send("clear") });
  #events = h("ol", { class: "event-list", tabindex: "0", "aria-labelledby": "live-title", "data-test": "events" });
  #empty = h("p", { class: "event-quiet" });
  element = h("section", { class: "live", "data-test": "live", "aria-labelledby": "live-title" },
    h("div", { class: "live-head" }, h("div", {}, this.#title, this.#text), this.#clear),
    this.#events, this.#empty);

  constructor() {
    super("inspector");
    setText(this.#title, t("inspector.live.title"));
    setText(this.#text, t("inspector.live.text"));
    setText(this.#clear, t("inspector.live.clear"));
    setText(this.#empty, t("inspector.live.empty"));
    this.#events.hidden = true;
    this.#clear.hidden = true;
  }

  /** @param {Wire.States["inspector"]} state */
  render({ events }) {
    this.#events.hidden = events.length === 0;
    this.#clear.hidden = events.length === 0;
    this.#empty.hidden = events.length > 0;
    keyed(this.#events, events, (event) => String(event.id), (event) => eventRow(event), () => {});
  }
}
