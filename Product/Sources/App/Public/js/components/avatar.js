import "./image.js";
import { h, setText } from "../dom.js";

const TINTS = 6;

/** The first letters of the first and the last name. */
export function initials(name) {
  const words = name.trim().split(/\s+/).filter(Boolean);
  return [words[0], words.length > 1 ? words.at(-1) : null].filter(Boolean).map((word) => [...word][0].toUpperCase()).join("");
}

/** A colour that stays with a name. */
export const tint = (name) => [...name].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % TINTS;

/** A contact's round picture: initials until it is there, and for good when it never comes. Decorative: the name stands beside it. */
export function avatar(className = "") {
  const letters = h("span", { class: "avatar-letters" });
  const picture = h("aq-image", { quiet: true, alt: "" });
  const element = h("span", { class: "avatar", "aria-hidden": "true", "data-test": "avatar" }, letters);
  element.draw = (contact) => {
    element.className = `avatar tint-${tint(contact.name)} ${className}`.trim();
    setText(letters, contact.initials);
    if (!contact.image) return picture.remove();
    picture.setAttribute("src", contact.image);
    if (!picture.isConnected) element.append(picture);
  };
  return element;
}
