import { h } from "../dom.js";
import { t } from "../i18n.js";
import { clock } from "./player.js";

const NS = "http://www.w3.org/2000/svg";
const STEP = 5;
const PITCH = 5;

/**
 * The position in a clip, drawn on its waveform. Users change it with a pointer, or with arrows, Home and End.
 * `onSeek(seconds, isPointer)` receives the new position; `onPreview` receives each position during a drag.
 */
export function seekBar({ onSeek, onPreview, className = "", test = "seek" }) {
  const [whole, played] = [drawing("seek-whole"), drawing("seek-played")];
  const element = h("div", { class: `seek ${className}`.trim(), role: "slider", tabindex: "0", "aria-valuemin": "0", "data-test": test },
    whole.svg, played.svg, h("span", { class: "seek-head", "aria-hidden": "true" }));
  let [shown, values, size, grip] = [{ position: 0, duration: 0 }, [], "", null];

  const paint = () => {
    const { clientWidth: width, clientHeight: height } = element;
    const key = `${width} ${height} ${values.length}`;
    if (!width || size === key) return;
    size = key;
    const bars = pooled(values, Math.max(1, Math.floor(width / PITCH)));
    for (const { svg, path } of [whole, played]) {
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      path.setAttribute("d", bars.length ? outline(bars, width, height) : `M2 ${height / 2}H${width - 2}`);
      path.setAttribute("stroke-width", bars.length ? String(Math.min(4, Math.max(2, (width / bars.length) * 0.5))) : "4");
    }
  };
  new ResizeObserver(paint).observe(element);

  const place = (seconds) => {
    const { duration } = shown;
    element.style.setProperty("--played", `${duration > 0 ? Math.min(100, (seconds / duration) * 100) : 0}%`);
    // Whole seconds: a reader would otherwise hear every fraction.
    const now = String(Math.floor(Math.min(seconds, duration)));
    if (element.getAttribute("aria-valuenow") !== now) element.setAttribute("aria-valuenow", now);
    const text = t("audio.position", { position: clock(seconds), duration: clock(duration) });
    if (element.getAttribute("aria-valuetext") !== text) element.setAttribute("aria-valuetext", text);
  };

  element.draw = ({ label, position, duration, waveform = [] }) => {
    shown = { position, duration };
    if (element.getAttribute("aria-label") !== label) element.setAttribute("aria-label", label);
    const most = String(Math.floor(duration));
    if (element.getAttribute("aria-valuemax") !== most) element.setAttribute("aria-valuemax", most);
    if (waveform !== values) {
      size = waveform.join() === values.join() ? size : "";
      values = waveform;
      element.classList.toggle("is-plain", values.length === 0);
      paint();
    }
    if (grip === null) place(position);
  };
  element.move = (position) => {
    shown.position = position;
    if (grip === null) place(position);
  };

  const at = (event) => {
    const { left, width } = element.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / width)) * shown.duration;
  };
  const preview = (seconds) => {
    grip = seconds;
    element.classList.toggle("is-held", seconds !== null);
    place(seconds ?? shown.position);
    onPreview?.(seconds);
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    preview(at(event));
  });
  element.addEventListener("pointermove", (event) => grip !== null && preview(at(event)));
  element.addEventListener("pointerup", () => {
    if (grip === null) return;
    const chosen = grip;
    preview(null);
    onSeek(chosen, true);
  });
  // The finger went on to scroll the page.
  element.addEventListener("pointercancel", () => grip !== null && preview(null));
  element.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const { position, duration } = shown;
    const target = { ArrowRight: position + STEP, ArrowUp: position + STEP, ArrowLeft: position - STEP, ArrowDown: position - STEP, Home: 0, End: duration }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    onSeek(Math.min(Math.max(0, target), duration), false);
  });
  return element;
}

function drawing(className) {
  const svg = document.createElementNS(NS, "svg");
  const path = document.createElementNS(NS, "path");
  svg.setAttribute("class", className);
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return { svg, path };
}

/** At most `count` bars; each is as high as the highest of those it stands for. */
function pooled(values, count) {
  if (values.length <= count) return values;
  return Array.from({ length: count }, (_, index) => {
    const [from, to] = [index, index + 1].map((place) => Math.floor((place * values.length) / count));
    return Math.max(...values.slice(from, Math.max(to, from + 1)));
  });
}

function outline(bars, width, height) {
  const pitch = width / bars.length;
  const room = height / 2 - 2;
  return bars.map((value, index) => {
    const half = Math.max(0.75, (Math.min(100, Math.max(0, value)) / 100) * room);
    return `M${((index + 0.5) * pitch).toFixed(1)} ${(height / 2 - half).toFixed(1)}v${(2 * half).toFixed(1)}`;
  }).join("");
}
