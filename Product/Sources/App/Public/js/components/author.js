import { h, setText } from "../dom.js";
import { initials, tint } from "../logic/names.js";

/** The author of a picture, and its date. Draws nothing for a remote that tells neither. */
export function author() {
  const face = h("span", { "aria-hidden": "true" });
  const name = h("span", { class: "author-name", lang: "", dir: "auto" });
  const when = h("time", { class: "author-time" });
  const element = h("div", { class: "author", "data-test": "item-author" }, face, h("span", { class: "author-text" }, name, when));
  /** @param {Wire.FeedItem} item */
  const draw = (item) => {
    element.hidden = !item.author && !item.date;
    face.hidden = name.hidden = !item.author;
    face.className = `avatar tint-${tint(item.author ?? "")}`;
    setText(face, initials(item.author ?? ""));
    setText(name, item.author ?? "");
    name.title = item.author ?? "";
    when.hidden = !item.date;
    setText(when, item.date ?? "");
    when.dateTime = item.createdAt ?? "";
  };
  return Object.assign(element, { draw });
}
