import { h, nameButton, replaceWhen } from "../dom.js";
import { language, t } from "../i18n.js";
import { icon } from "./icon.js";
import { RATES, player } from "./player.js";
import { choices, mark, popover } from "./popover.js";

/** Minutes after which the sound ends. */
const TIMERS = ["off", "15", "30", "60", "clip"];

/** @param {number} rate */
const rateText = (rate) => `${rate.toLocaleString(language())}×`;

/**
 * Speed, sleep timer and the clip that comes next: a button of the player and the panel that it opens.
 */
export function playerOptions() {
  const button = h("button", { class: "icon-button mini-more", type: "button", "data-test": "mini-options" });
  const panel = h("div", { id: "player-options", "data-test": "player-options" });
  const next = h("div", { class: "mini-upcoming" });
  const draw = () => {
    panel.replaceChildren(
      choices({
        name: "rate", title: t("audio.rate"), value: String(player.rate), className: "choices-segments",
        options: RATES.map((rate) => ({ id: String(rate), label: rateText(rate) })), onChange: (rate) => player.setRate(Number(rate)),
      }),
      choices({
        name: "sleep", title: t("audio.sleep"), value: player.sleep, className: "choices-segments",
        options: TIMERS.map((id) => ({ id, label: id === "off" || id === "clip" ? t(`audio.sleep.${id}`) : id })),
        onChange: (id) => player.setSleep(id),
      }),
      next);
  };
  const upcoming = () => {
    const clip = player.neighbour(1);
    replaceWhen(next, `${clip?.id} ${clip?.title}`, () => clip
      ? [h("span", { class: "mini-upcoming-title" }, t("audio.upcoming")),
        h("button", { class: "mini-upcoming-clip", type: "button", "data-test": "upcoming", onclick: () => player.skip(1) },
          icon("following", "icon-solid"), h("bdi", {}, clip.title))]
      : h("span", { class: "mini-upcoming-title" }, t("audio.upcoming.none")));
  };
  const element = popover({ button, panel, onOpen: draw });
  player.addEventListener("change", () => {
    const isUsual = player.rate === 1 && player.sleep === "off";
    button.classList.toggle("is-set", !isUsual);
    nameButton(button, isUsual ? t("audio.options") : t("audio.options.now", { rate: rateText(player.rate) }));
    replaceWhen(button, `${player.rate} ${player.sleep}`, () => [
      player.rate === 1 ? icon(player.sleep === "off" ? "speed" : "moon") : h("span", { class: "mini-rate" }, rateText(player.rate)),
      player.rate !== 1 && player.sleep !== "off" && h("span", { class: "mini-dot", "aria-hidden": "true" })]);
    mark(panel, "sleep", player.sleep);
    upcoming();
  });
  return element;
}
