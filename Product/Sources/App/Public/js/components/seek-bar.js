import { h, svg } from "../dom.js";
import { t } from "../i18n.js";
import { clock, lengthText, wholeSeconds } from "../logic/time.js";
import { outline, pooled } from "../logic/waveform.js";

const STEP = 5;
const PITCH = 5;

/**
 * The position in a clip, drawn on its waveform. Users change it with a pointer, or with arrows, Home and End.
 *
 * @param {object} options
 * @param {(seconds: number, isPointer: boolean) => void} options.onSeek receives the new position
 * @param {(seconds: number | null) => void} options.onPreview receives each position during a drag; null at its end
 * @param {string} [options.className]
 * @param {string} [options.test]
 */
export function seekBar({ onSeek, onPreview, className = "", test = "seek" }) {
  const [whole, played] = [drawing("seek-whole"), drawing("seek-played")];
  const element = h("div", { class: `seek ${className}`.trim(), role: "slider", tabindex: "0", "aria-valuemin": "0", "data-test": test },
    whole.image, played.image, h("span", { class: "seek-head", "aria-hidden": "true" }));
  let [shown, size] = [{ position: 0, duration: 0 }, ""];
  /** @type {number[]} */
  let values = [];
  /** @type {number | null} */
  let grip = null;

  const paint = () => {
    const { clientWidth: width, clientHeight: height } = element;
    const key = `${width} ${height} ${values.length}`;
    if (!width || size === key) return;
    size = key;
    const bars = pooled(values, Math.max(1, Math.floor(width / PITCH)));
    for (const { image, path } of [whole, played]) {
      image.setAttribute("viewBox", `0 0 ${width} ${height}`);
      path.setAttribute("d", bars.length ? outline(bars, width, height) : `M2 ${height / 2}H${width - 2}`);
      path.setAttribute("stroke-width", bars.length ? String(Math.min(4, Math.max(2, (width / bars.length) * 0.5))) : "4");
    }
  };
  new ResizeObserver(paint).observe(element);

  /** @param {number} seconds */
  const place = (seconds) => {
    const { duration } = shown;
    element.style.setProperty("--played", `${duration > 0 ? Math.min(100, (seconds / duration) * 100) : 0}%`);
    // Whole seconds: a reader would otherwise hear every fraction.
    const now = String(wholeSeconds(Math.min(seconds, duration)));
    if (element.getAttribute("aria-valuenow") !== now) element.setAttribute("aria-valuenow", now);
    const text = t("audio.position", { position: clock(duration > 0 ? Math.min(seconds, duration) : seconds), duration: lengthText(duration) });
    if (element.getAttribute("aria-valuetext") !== text) element.setAttribute("aria-valuetext", text);
  };

  /** @param {{ label: string, position: number, duration: number, waveform?: number[] }} now */
  const draw = ({ label, position, duration, waveform = [] }) => {
    shown = { position, duration };
    if (element.getAttribute("aria-label") !== label) element.setAttribute("aria-label", label);
    const most = String(wholeSeconds(duration));
    if (element.getAttribute("aria-valuemax") !== most) element.setAttribute("aria-valuemax", most);
    if (waveform !== values) {
      size = waveform.join() === values.join() ? size : "";
      values = waveform;
      element.classList.toggle("is-plain", values.length === 0);
      paint();
    }
    if (grip === null) place(position);
  };
  /** @param {number} position */
  const move = (position) => {
    shown.position = position;
    if (grip === null) place(position);
  };

  /** @param {PointerEvent} event */
  const at = (event) => {
    const { left, width } = element.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / width)) * shown.duration;
  };
  /** @param {number | null} seconds */
  const preview = (seconds) => {
    grip = seconds;
    element.classList.toggle("is-held", seconds !== null);
    place(seconds ?? shown.position);
    onPreview(seconds);
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
    /** @type {Record<string, number>} */
    const places = { ArrowRight: position + STEP, ArrowUp: position + STEP, ArrowLeft: position - STEP, ArrowDown: position - STEP, Home: 0, End: duration };
    if (!(event.key in places)) return;
    event.preventDefault();
    onSeek(Math.min(Math.max(0, places[event.key]), duration), false);
  });
  return Object.assign(element, { draw, move });
}

/** @param {string} className */
function drawing(className) {
  const path = svg("path", {});
  return { image: svg("svg", { class: className, "aria-hidden": "true" }, path), path };
}
