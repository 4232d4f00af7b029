import "./image.js";
import { h, setText } from "../dom.js";
import { tint } from "../logic/names.js";

/**
 * A contact's round picture: initials until it is there, and for good when it never comes. Decorative: the name stands
 * beside it.
 */
export function avatar(className = "") {
  const letters = h("span", { class: "avatar-letters" });
  const picture = h("aq-image", { quiet: true, alt: "" });
  const element = h("span", { class: "avatar", "aria-hidden": "true", "data-test": "avatar" }, letters);
  /** @param {{ name: string, initials: string, image: string | null }} contact */
  const draw = (contact) => {
    element.className = `avatar tint-${tint(contact.name)} ${className}`.trim();
    setText(letters, contact.initials);
    if (!contact.image) return picture.remove();
    picture.setAttribute("src", contact.image);
    if (!picture.isConnected) element.append(picture);
  };
  return Object.assign(element, { draw });
}
