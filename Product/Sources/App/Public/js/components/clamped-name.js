import { h } from "../dom.js";
import { clamped } from "../logic/preview.js";

/**
 * The name of a file, in two lines at most, with its ending in sight. It has its own direction, whatever it stands in.
 */
export function clampedName() {
  const element = h("span", { class: "clamped-name", dir: "auto" });
  let name = "";
  let width = -1;
  const fit = () => {
    width = element.clientWidth;
    if (width === 0) return;
    element.textContent = clamped(name, (text) => {
      element.textContent = text;
      return element.scrollHeight <= element.clientHeight + 1;
    });
  };
  // The height follows the text, and only the width decides about it.
  new ResizeObserver(() => element.clientWidth !== width && requestAnimationFrame(fit)).observe(element);
  /** @param {string} text */
  const draw = (text) => {
    if (text === name) return;
    name = text;
    element.textContent = name;
    element.title = name;
    fit();
  };
  return Object.assign(element, { draw });
}
