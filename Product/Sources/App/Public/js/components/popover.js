import { h } from "../dom.js";

/** A button that opens a small panel below it. Escape, a click outside or leaving by Tab closes it. */
export function popover({ button, panel, onOpen }) {
  const wrapper = h("div", { class: "popover-anchor" }, button, panel);
  panel.classList.add("popover");
  panel.hidden = true;
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-controls", panel.id);

  const toggle = (open) => {
    panel.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) {
      onOpen?.();
      (panel.querySelector("input:checked") ?? panel.querySelector("input, button"))?.focus({ focusVisible: false });
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
    if (event.relatedTarget && !wrapper.contains(event.relatedTarget)) toggle(false);
  });
  document.addEventListener("pointerdown", (event) => {
    if (!panel.hidden && !wrapper.contains(event.target)) toggle(false);
  });
  return wrapper;
}

/** Native radio buttons drawn as a list of choices. */
export function choices({ name, title, options, value, onChange, className = "" }) {
  return h("fieldset", { class: `choices ${className}`.trim() },
    h("legend", {}, title),
    h("div", { class: "choices-list" }, options.map(({ id, label, hint, lang }) =>
      h("label", { class: "choice" },
        h("input", { type: "radio", name, value: id, checked: id === value, "data-test": `${name}-${id}`, onchange: () => onChange(id) }),
        h("span", { class: `choice-face mode-${id}` },
          h("span", { class: "choice-dot", "aria-hidden": "true" }),
          h("span", { class: "choice-text", lang }, label, hint && h("small", {}, hint)))))));
}
