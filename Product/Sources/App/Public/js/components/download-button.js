import { h, replaceWhen, svg } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";

const ROUND = 2 * Math.PI * 16;

/** @typedef {"download" | "cancelDownload" | "removeDownload"} DownloadIntent */

/**
 * The action of the button for each state of a clip: its intent, its icon, its words.
 *
 * @type {Record<Wire.AudioClip["offline"], { intent: DownloadIntent, test: string, glyph: import("./icon.js").Glyph, name: string }>}
 */
const DEEDS = {
  none: { intent: "download", test: "download", glyph: "download", name: "audio.download" },
  expired: { intent: "download", test: "download", glyph: "download", name: "audio.download" },
  downloading: { intent: "cancelDownload", test: "download-cancel", glyph: "close", name: "audio.download.cancel" },
  done: { intent: "removeDownload", test: "download-remove", glyph: "trash", name: "audio.download.remove" },
  failed: { intent: "download", test: "download", glyph: "reload", name: "audio.download.retry" },
};

/**
 * Keeps a clip for when there is no connection: the button downloads, cancels what is on its way (a ring shows how
 * far it is), or removes.
 *
 * @param {(intent: DownloadIntent) => void} run
 */
export function downloadButton(run) {
  const button = h("button", { class: "icon-button download-button", type: "button", onclick: () => run(deed.intent) });
  let deed = DEEDS.none;
  /** @param {Wire.AudioClip} clip */
  const draw = ({ title, offline, percent }) => {
    deed = DEEDS[offline];
    const { intent, test, glyph, name } = deed;
    const isBusy = intent === "cancelDownload";
    button.dataset.intent = intent;
    button.dataset.test = test;
    button.setAttribute("aria-label", isBusy && percent !== null ? t("audio.download.cancel.percent", { title, percent }) : t(name, { title }));
    button.title = t(`${name}.short`);
    button.classList.toggle("is-busy", isBusy);
    replaceWhen(button, glyph, () => [icon(glyph), isBusy && ring()]);
    /** @type {SVGCircleElement | null} */
    const track = button.querySelector(".ring-part");
    if (!track) return;
    button.classList.toggle("is-waiting", percent === null);
    track.style.strokeDashoffset = String(ROUND * (1 - (percent ?? 25) / 100));
  };
  return Object.assign(button, { draw });
}

const ring = () => svg("svg", { class: "ring", viewBox: "0 0 36 36", "aria-hidden": "true" },
  ...["ring-whole", "ring-part"].map((part) => svg("circle", { class: part, cx: "18", cy: "18", r: "16" })));
