import { memory } from "./dom.js";
import { bytes, chosenLanguage, languages, sentence } from "./logic/language.js";

const preferred = () => chosenLanguage(memory.get("language"), navigator.languages ?? []);

// A page has one language from its beginning to its end: a change loads it again.
const current = preferred();
document.documentElement.lang = current;
/** @type {Record<string, import("./logic/language.js").Text>} */
const words = await fetch(`/assets/words/${current}.json`).then((response) => response.json());
const plurals = new Intl.PluralRules(current);

export { languages };

export const language = () => current;

/**
 * The text for a key; `values` fill its placeholders, and `values.count` chooses its plural form.
 *
 * @param {string} key
 * @param {object} values
 */
export const t = (key, values = {}) => sentence(words[key] ?? key, values, plurals);

/** True if another tab has chosen another language since this page was loaded. */
export const isOutdated = () => preferred() !== current;

/**
 * Loads the page again in another language.
 *
 * @param {string} code
 */
export function setLanguage(code) {
  memory.set("language", code);
  location.reload();
}

/**
 * Bytes as people read them: `12 kB`, `1.4 MB`.
 *
 * @param {number} count
 */
export const size = (count) => bytes(count, current);
