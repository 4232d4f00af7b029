import { h, replaceWhen } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";

/**
 * A round button that plays or pauses.
 *
 * @param {{ className?: string, test: string, onToggle: () => void }} options
 */
export function playButton({ className = "", test, onToggle }) {
  const button = h("button", { class: `play-button ${className}`.trim(), type: "button", "data-test": test, onclick: onToggle });
  /**
   * @param {import("./player.js").Status} status
   * @param {string} title
   */
  const draw = (status, title) => {
    const isOn = status === "playing" || status === "loading";
    const name = t(isOn ? "audio.pause" : "audio.play", { title });
    if (button.getAttribute("aria-label") !== name) button.setAttribute("aria-label", name);
    button.dataset.state = status;
    replaceWhen(button, status === "loading" ? "loading" : isOn ? "pause" : "play", () => [
      icon(isOn ? "pause" : "play", isOn ? "icon-thick" : "icon-solid"),
      status === "loading" && h("span", { class: "play-ring", "aria-hidden": "true" })]);
  };
  return Object.assign(button, { draw });
}
