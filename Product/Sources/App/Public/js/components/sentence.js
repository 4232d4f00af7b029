import { h } from "../dom.js";
import { language } from "../i18n.js";
import { dashed } from "../logic/phrase.js";

/**
 * A sentence in pieces: the remote's words, which are English, and places for values, whose names are in the user's language.
 *
 * @param {Wire.SentencePart[]} parts
 */
export const sentence = (parts) => parts.map(({ text, isBlank }) => (isBlank ? h("em", { class: "blank", lang: language() }, text) : text));

/**
 * A sentence as one text.
 *
 * @param {Wire.SentencePart[]} parts
 */
export const plain = (parts) => parts.map(({ text }) => text).join("");

/**
 * The line of who says it, with a dash as books have it.
 *
 * @param {Wire.SentencePart[]} parts
 */
export const byline = (parts) => parts.map((part, index) => (index === 0 && !part.isBlank ? { ...part, text: dashed(part.text) } : part));
