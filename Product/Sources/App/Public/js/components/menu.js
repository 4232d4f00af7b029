import { find, h, nameButton, replaceWhen, setText } from "../dom.js";
import { icon } from "./icon.js";
import { popover } from "./popover.js";

/**
 * The choices: something that is done, or an address that is downloaded.
 *
 * @typedef {{ test: string, glyph: import("./icon.js").Glyph, label: string, name?: string, run?: () => void, href?: string, download?: string, isDisabled?: boolean, isDanger?: boolean }} Item
 */

let count = 0;

/**
 * A button with three dots, and what it offers. The arrow keys go from item to item, Escape closes, and the focus comes back.
 *
 * @param {string} test
 */
export function menu(test) {
  /** @type {Item[]} */
  let items = [];
  const button = h("button", { class: "icon-button menu-button", type: "button", "aria-haspopup": "menu", "data-test": test }, icon("more"));
  const panel = h("div", { class: "menu", id: `menu-${(count += 1)}`, role: "menu", "data-test": `${test}-panel` });
  const element = popover({ button, panel, onOpen: () => requestAnimationFrame(() => panel.scrollIntoView({ block: "nearest" })) });
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" || !panel.hidden) return;
    event.preventDefault();
    button.click();
  });
  panel.addEventListener("keydown", (event) => {
    const all = /** @type {HTMLElement[]} */ ([...panel.children]);
    const at = all.findIndex((item) => item === document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    all.at(next % all.length)?.focus();
  });

  /** @param {Item} item */
  function make({ test, glyph, href }) {
    /** @param {Event} event */
    const choose = (event) => {
      const item = items.find((item) => item.test === test);
      if (!item || item.isDisabled) return event.preventDefault();
      element.close();
      button.focus({ focusVisible: false });
      item.run?.();
    };
    const text = h("span", {});
    const properties = { class: "menu-item", role: "menuitem", tabindex: "-1", "data-test": test, onclick: choose };
    return href === undefined ? h("button", { ...properties, type: "button" }, icon(glyph), text) : h("a", { ...properties, href }, icon(glyph), text);
  }

  /**
   * An item that stays keeps its element: nothing changes under whoever is choosing.
   *
   * @param {string} name
   * @param {string} title
   * @param {Item[]} now
   */
  const draw = (name, title, now) => {
    items = now;
    element.hidden = items.length === 0;
    nameButton(button, name);
    button.title = title;
    panel.setAttribute("aria-label", name);
    replaceWhen(panel, items.map(({ test }) => test).join(" "), () => items.map(make));
    for (const item of items) {
      const row = find(panel, `[data-test="${item.test}"]`);
      if (!row) continue;
      setText(/** @type {Element} */ (row.lastElementChild), item.label);
      row.classList.toggle("is-danger", Boolean(item.isDanger));
      if (item.name) row.setAttribute("aria-label", item.name);
      if (item.href !== undefined) row.setAttribute("href", item.href);
      if (item.download !== undefined) row.setAttribute("download", item.download);
      row.setAttribute("aria-disabled", String(Boolean(item.isDisabled)));
    }
  };
  return Object.assign(element, { draw, giveFocus: () => button.focus({ focusVisible: false }) });
}
