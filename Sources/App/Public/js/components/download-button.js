import { h, replaceWhen } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";

const NS = "http://www.w3.org/2000/svg";
const ROUND = 2 * Math.PI * 16;

/**
 * Keeps a clip for when there is no connection: the button downloads, cancels what is on its way (a ring shows how
 * far it is), or removes. `run(intent)` does it.
 */
export function downloadButton(run) {
  const button = h("button", { class: "icon-button download-button", type: "button", onclick: () => run(button.dataset.intent) });
  button.draw = ({ title, offline, percent }) => {
    const [intent, glyph, name] = {
      waiting: ["cancelDownload", "close", "audio.download.cancel"],
      downloading: ["cancelDownload", "close", "audio.download.cancel"],
      done: ["removeDownload", "trash", "audio.download.remove"],
      failed: ["download", "reload", "audio.download.retry"],
    }[offline] ?? ["download", "download", "audio.download"];
    const isBusy = intent === "cancelDownload";
    button.dataset.intent = intent;
    button.dataset.test = { download: "download", cancelDownload: "download-cancel", removeDownload: "download-remove" }[intent];
    button.setAttribute("aria-label", isBusy && percent !== null ? t("audio.download.cancel.percent", { title, percent }) : t(name, { title }));
    button.title = t(`${name}.short`);
    button.classList.toggle("is-busy", isBusy);
    replaceWhen(button, glyph, () => [icon(glyph), isBusy && ring()]);
    const track = button.querySelector(".ring-part");
    if (!track) return;
    button.classList.toggle("is-waiting", percent === null);
    track.style.strokeDashoffset = String(ROUND * (1 - (percent ?? 25) / 100));
  };
  return button;
}

function ring() {
  const svg = document.createElementNS(NS, "svg");
  for (const [name, value] of Object.entries({ class: "ring", viewBox: "0 0 36 36", "aria-hidden": "true" })) svg.setAttribute(name, value);
  for (const part of ["ring-whole", "ring-part"]) {
    const circle = document.createElementNS(NS, "circle");
    for (const [name, value] of Object.entries({ class: part, cx: 18, cy: 18, r: 16 })) circle.setAttribute(name, String(value));
    svg.append(circle);
  }
  return svg;
}
