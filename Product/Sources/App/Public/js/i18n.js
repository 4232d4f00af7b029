import { find, frame } from "./dom.js";
import { bytes, chosenLanguage, languages, sentence, short } from "./logic/language.js";
import { memory } from "./memory.js";

/** In milliseconds. */
const RETRY = 3000;

const preferred = () => chosenLanguage(memory.get("language"), navigator.languages ?? []);

// A page has one language from its beginning to its end: a change loads it again.
const current = preferred();
document.documentElement.lang = current;
/** @type {Record<string, import("./logic/language.js").Text>} */
const words = await load();
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

/** The language that is chosen for all pages: this one's, unless it is out of date. */
export const chosen = preferred;

/** True if another tab has chosen another language since this page was loaded. */
export const isOutdated = () => preferred() !== current;

/**
 * Chooses the language of all pages. This one is then out of date.
 *
 * @param {string} code
 */
export function chooseLanguage(code) {
  memory.set("language", code);
}

/**
 * The texts of the page's language. There is no page without them: until they arrive they are asked for again, and
 * `index.html` says so.
 */
async function load() {
  for (;;) {
    try {
      const response = await fetch(new URL(`../words/${current}.json`, import.meta.url));
      if (response.ok) {
        const words = await response.json();
        frame("wordless").hidden = true;
        return words;
      }
    } catch {
      // No answer, or one that is cut short: it is asked for again.
    }
    await retry();
  }
}

/** Says that the page waits for its texts. Ends when it is time to ask again: soon by itself, or at once by the button. */
function retry() {
  const box = frame("wordless");
  box.hidden = false;
  for (const part of box.children) part.toggleAttribute("hidden", part.getAttribute("lang") !== current);
  return new Promise((resolve) => {
    setTimeout(resolve, RETRY);
    find(box, `[lang="${current}"] button`)?.addEventListener("click", resolve, { once: true });
  });
}

/**
 * A count that anyone may have sent: as it is up to 9999, in short above.
 *
 * @param {number} count
 */
export const shortNumber = (count) => short(count, current);

/**
 * Bytes as Swift writes them: `512 B`, `13.7 KB`.
 *
 * @param {number} count
 */
export const size = (count) => bytes(count, current);
