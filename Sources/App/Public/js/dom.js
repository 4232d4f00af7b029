/** Makes an element: `h("p", { class: "x", onclick: f }, "text", child)`. Null and false are left out. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

/** Sets the text only when it differs, so that screen readers and selections are left alone. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Replaces the children only when `key` differs from the last call's. */
export function replaceWhen(element, key, make) {
  if (element.renderedKey === key) return;
  element.renderedKey = key;
  element.replaceChildren(...[make()].flat().filter(Boolean));
}

/** Makes the children once: their texts never change, since a change of the language loads the page again. */
export function drawOnce(element, make) {
  replaceWhen(element, "drawn", make);
}

/**
 * Makes `parent`'s children the items, in order. An item with a known key keeps its element: nothing
 * flickers, nothing loads twice, focus stays.
 */
export function keyed(parent, items, key, create, update) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const id = key(item);
    let element = known.get(id);
    if (element) known.delete(id);
    else {
      element = create(item);
      element.dataset.key = id;
    }
    update(element, item);
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
  }
  for (const gone of known.values()) gone.remove();
}

/** Remembers a value on this machine; storage that is switched off is no error. */
export const memory = {
  get(name) {
    try {
      return localStorage.getItem(`aquifer.${name}`);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`aquifer.${name}`, value);
    } catch {
      // The choice then lasts as long as the page.
    }
  },
};
