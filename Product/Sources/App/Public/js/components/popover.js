import { find, h, target } from "../dom.js";

/**
 * A button that opens a small panel below it. Escape, a click outside or leaving by Tab closes it.
 *
 * @param {{ button: HTMLButtonElement, panel: HTMLElement, onOpen: () => void }} options
 */
export function popover({ button, panel, onOpen }) {
  const wrapper = h("div", { class: "popover-anchor" }, button, panel);
  panel.classList.add("popover");
  panel.hidden = true;
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-controls", panel.id);

  /** @param {boolean} open */
  const toggle = (open) => {
    panel.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) {
      onOpen();
      (find(panel, "input:checked") ?? find(panel, "input, button, [role=menuitem]"))?.focus({ focusVisible: false });
    }
  };
  button.addEventListener("click", () => toggle(panel.hidden));
  wrapper.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || panel.hidden) return;
    event.stopPropagation();
    toggle(false);
    button.focus();
  });
  wrapper.addEventListener("focusout", (event) => {
    if (event.relatedTarget instanceof Node && !wrapper.contains(event.relatedTarget)) toggle(false);
  });
  document.addEventListener("pointerdown", (event) => {
    if (!panel.hidden && !wrapper.contains(target(event))) toggle(false);
  });
  return Object.assign(wrapper, { close: () => toggle(false) });
}

/**
 * Marks the choice of a list that was made elsewhere. Nothing is drawn anew under whoever chooses here.
 *
 * @param {HTMLElement} panel
 * @param {string} name
 * @param {string} value
 */
export function mark(panel, name, value) {
  for (const input of panel.querySelectorAll(`input[name=${name}]`)) {
    if (input instanceof HTMLInputElement) input.checked = input.value === value;
  }
}

/**
 * Native radio buttons drawn as a list of choices.
 *
 * @param {object} list
 * @param {string} list.name
 * @param {string} list.title
 * @param {{ id: string, label: string, hint?: string, lang?: string }[]} list.options
 * @param {string} list.value
 * @param {(id: string) => void} list.onChange
 * @param {string} list.className
 */
export function choices({ name, title, options, value, onChange, className }) {
  return h("fieldset", { class: `choices ${className}`.trim() },
    h("legend", {}, title),
    h("div", { class: "choices-list" }, options.map(({ id, label, hint, lang }) =>
      h("label", { class: "choice" },
        h("input", { type: "radio", name, value: id, checked: id === value, "data-test": `${name}-${id}`, onchange: () => onChange(id) }),
        h("span", { class: `choice-face mode-${id}` },
          h("span", { class: "choice-dot", "aria-hidden": "true" }),
          h("span", { class: "choice-text", lang }, label, hint && h("small", {}, hint)))))));
}
