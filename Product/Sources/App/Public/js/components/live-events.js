import { load } from "../carried.js";
import { h, keyed, replaceWhen, setText } from "../dom.js";
import { language, t } from "../i18n.js";
import { addressOf } from "../logic/replay.js";
import { ModelScreen } from "../screen.js";
import { icon } from "./icon.js";

/** @param {Wire.InspectorEvent} event */
export function eventRow({ date, subject, text, isTrouble }) {
  return h("li", { class: isTrouble ? "event event-trouble" : "event", "data-test": "event" },
    h("time", { datetime: date }, new Date(date).toLocaleTimeString(language())), h("code", {}, subject), h("span", {}, text));
}

/**
 * What the engine does, as it happens, and the recording of a session: a part of the inspector's page.
 *
 * @extends {ModelScreen<"inspector">}
 */
export class LiveEvents extends ModelScreen {
  #title = h("h2", { id: "live-title" });
  #text = h("p", { class: "page-intro" });
  #record = h("button", { class: "button", type: "button", "data-test": "record", onclick: () => this.send(this.state?.isRecording ? "stop" : "record") });
  #clear = h("button", { class: "button", type: "button", "data-test": "clear-events", onclick: () => this.send("clear") });
  #recording = h("div", { class: "session-record", "data-test": "recording" });
  #events = h("ol", { class: "event-list", tabindex: "0", "aria-labelledby": "live-title", "data-test": "events" });
  #empty = h("p", { class: "event-quiet" });
  element = h("section", { class: "live", "data-test": "live", "aria-labelledby": "live-title" },
    h("div", { class: "live-head" }, h("div", {}, this.#title, this.#text), h("div", { class: "live-tools" }, this.#clear, this.#record)),
    this.#recording, this.#events, this.#empty);

  constructor() {
    super("inspector");
    setText(this.#title, t("inspector.live.title"));
    setText(this.#text, t("inspector.live.text"));
    setText(this.#clear, t("inspector.live.clear"));
    setText(this.#empty, t("inspector.live.empty"));
    this.#events.hidden = true;
    this.#clear.hidden = true;
    this.#drawRecord(false);
  }

  /** @param {Wire.States["inspector"]} state */
  render(state) {
    const { events, isRecording } = state;
    this.#events.hidden = events.length === 0;
    this.#clear.hidden = events.length === 0;
    this.#empty.hidden = events.length > 0;
    keyed(this.#events, events, (event) => String(event.id), (event) => eventRow(event), () => {});
    this.#drawRecord(isRecording);
    this.#drawRecording(state);
  }

  /** @param {boolean} isRecording */
  #drawRecord(isRecording) {
    replaceWhen(this.#record, `${isRecording}`, () => [icon(isRecording ? "stop" : "play"), t(isRecording ? "inspector.record.stop" : "inspector.record")]);
    this.#record.classList.toggle("button-danger", isRecording);
  }

  /** @param {Wire.States["inspector"]} state */
  #drawRecording({ isRecording, isFull, steps, first }) {
    replaceWhen(this.#recording, JSON.stringify([isRecording, isFull, steps]), () => {
      if (isRecording) return h("p", {}, h("span", { class: "session-record-dot", "aria-hidden": "true" }), t("inspector.recording", { count: steps }));
      if (!first) return [];
      return [
        h("p", {}, isFull ? `${t("inspector.record.full")} ` : "", t("inspector.recorded", { count: steps })),
        h("button", { class: "button", type: "button", "data-test": "discard-recording", onclick: () => this.send("discard") }, t("inspector.discard")),
        h("button", { class: "button button-primary", type: "button", "data-test": "replay", onclick: () => load(addressOf(first)) }, icon("play"), t("inspector.replay")),
      ];
    });
  }
}
