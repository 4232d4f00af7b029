import { address, request } from "../api.js";
import { load } from "../carried.js";
import { h, setText } from "../dom.js";
import { t } from "../i18n.js";
import { addressOf } from "../logic/replay.js";
import { eventRow } from "./live-events.js";
import { icon } from "./icon.js";

/** The bar over a replayed page: which step it is, what the engine did before it, and the ways to the others. */
export class ReplayBar {
  #step;
  #title = h("strong", { "data-test": "replay-step" });
  #time = h("span", { class: "replay-time" });
  #previous = this.#button("back", t("replay.previous"), "replay-previous");
  #next = this.#button("next", t("replay.next"), "replay-next");
  #events = h("ol", { class: "event-list", "data-test": "replay-events" });
  element = h("section", { class: "replay-bar", "aria-label": t("replay.name"), "data-test": "replay-bar" },
    h("div", { class: "replay-head" },
      h("span", { class: "replay-mark" }, icon("history"), t("replay.name")), this.#title, this.#time,
      h("div", { class: "replay-ways" }, this.#previous, this.#next,
        h("button", { class: "icon-button", type: "button", "aria-label": t("replay.close"), title: t("replay.close"), "data-test": "replay-close", onclick: () => load("/inspector") }, icon("close")))),
    this.#events);

  /** @param {number} step */
  constructor(step) {
    this.#step = step;
    setText(this.#title, " ");
    this.#load();
  }

  async #load() {
    try {
      const answer = /** @type {Wire.ReplayStep} */ (await request("GET", address(`/api/replay/${this.#step}`)));
      setText(this.#title, t("replay.step", { step: answer.step, count: answer.count }));
      setText(this.#time, new Date(answer.date).toLocaleTimeString(document.documentElement.lang));
      this.#way(this.#previous, answer.previous);
      this.#way(this.#next, answer.next);
      this.#events.replaceChildren(...(answer.events.length ? answer.events.map(eventRow) : [h("li", { class: "event-quiet" }, t("replay.quiet"))]));
    } catch {
      setText(this.#title, t("replay.gone"));
    }
  }

  /**
   * @param {import("./icon.js").Glyph} glyph
   * @param {string} name
   * @param {string} test
   */
  #button(glyph, name, test) {
    return h("button", { class: "icon-button", type: "button", disabled: true, "aria-label": name, title: name, "data-test": test }, icon(glyph));
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {Wire.InspectorPlace | null} place
   */
  #way(button, place) {
    button.disabled = !place;
    button.onclick = () => place && load(addressOf(place));
  }
}
