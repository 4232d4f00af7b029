/**
 * Makes an element: `h("p", { class: "x", onclick: f }, "text", child)`. Null and false are left out.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Properties} properties
 * @param {...Children} children
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value == null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...shown(children.flat()));
  return element;
}

/** @param {Child[]} children */
const shown = (children) => children.flatMap((child) => (child == null || child === false ? [] : [child]));

/**
 * Makes an element of a drawing.
 *
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} attributes
 * @param {...Element} children
 */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * The element of the frame around the screens, in `index.html`.
 *
 * @param {string} id
 */
export function frame(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no #${id}`);
  return element;
}

/**
 * The element that an event happened to.
 *
 * @param {Event} event
 */
export const target = (event) => (event.target instanceof Element ? event.target : null);

/**
 * The first element of this selector that can have the focus.
 *
 * @param {Element | null | undefined} element
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export const find = (element, selector) => element?.querySelector(selector) ?? null;

/**
 * The `data-test` of what has the focus within an element: empty if that has none, and `null` if nothing in it has the focus.
 *
 * @param {Element} element
 * @returns {string | null}
 */
export function focusedIn(element) {
  const active = document.activeElement;
  return active instanceof HTMLElement && element.contains(active) ? active.dataset.test ?? "" : null;
}

/**
 * Gives the focus back after the buttons were drawn anew: to the one of the same name, or to the first. A button that somebody is about to
 * press must not become another one.
 *
 * @param {Element} element
 * @param {string | null} name
 */
export function refocus(element, name) {
  if (name === null || element.contains(document.activeElement)) return;
  const buttons = [...element.querySelectorAll("button")];
  (buttons.find((button) => button.dataset.test === name) ?? buttons[0])?.focus({ focusVisible: false });
}

/**
 * Takes the focus from what is about to be replaced: what gets it next then shows it to who uses keys.
 *
 * @param {Element} element
 */
export function letGo(element) {
  const active = document.activeElement;
  if (active instanceof HTMLElement && element.contains(active)) active.blur();
}

/**
 * Sets the text only when it differs, so that screen readers and selections are left alone.
 *
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Names a button that shows only an icon: for readers, and for pointers.
 *
 * @param {HTMLElement} button
 * @param {string} title
 */
export function nameButton(button, title) {
  button.setAttribute("aria-label", title);
  button.title = title;
}

/** @type {WeakMap<Element, string>} */
const keys = new WeakMap();

/**
 * Replaces the children only when `key` differs from the last call's.
 *
 * @param {Element} element
 * @param {string} key
 * @param {() => Children} make
 */
export function replaceWhen(element, key, make) {
  if (keys.get(element) === key) return;
  keys.set(element, key);
  const hadFocus = element.contains(document.activeElement);
  element.replaceChildren(...shown([make()].flat()).filter(Boolean));
  if (hadFocus) keepFocus(element);
}

/**
 * Moves the focus to the heading of the page when what had it is gone: otherwise the next Tab would begin at the top of
 * everything.
 *
 * @param {Element} element
 */
function keepFocus(element) {
  if (document.activeElement !== document.body) return;
  find(element.closest("dialog, .screen"), "h1")?.focus({ preventScroll: true, focusVisible: false });
}

/**
 * Makes the children once: their texts never change, since a change of the language loads the page again.
 *
 * @param {Element} element
 * @param {() => Children} make
 */
export function drawOnce(element, make) {
  replaceWhen(element, "drawn", make);
}

/**
 * Makes `parent`'s children the items, in order. An item with a known key keeps its element: nothing
 * flickers, nothing loads twice, focus stays.
 *
 * @template Item
 * @template {HTMLElement} Row
 * @param {HTMLElement} parent
 * @param {Item[]} items
 * @param {(item: Item) => string} key
 * @param {(item: Item) => Row} create
 * @param {(row: Row, item: Item) => void} update
 */
export function keyed(parent, items, key, create, update) {
  const known = new Map(rows(parent).map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const id = key(item);
    let element = /** @type {Row | undefined} */ (known.get(id));
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

/**
 * The rows that `keyed` has made.
 *
 * @param {HTMLElement} parent
 */
export const rows = (parent) => /** @type {HTMLElement[]} */ ([...parent.children]);

/**
 * The row of a key.
 *
 * @param {HTMLElement} parent
 * @param {string | null | undefined} key
 */
export const rowOf = (parent, key) => rows(parent).find((row) => row.dataset.key === key);

/**
 * A handler of keys: Escape does this, and nothing else.
 *
 * @param {() => void} run
 * @returns {(event: KeyboardEvent) => void}
 */
export const onEscape = (run) => (event) => {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  run();
};
