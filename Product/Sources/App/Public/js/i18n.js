import { memory } from "./dom.js";

export const languages = { "en": "English", "pt-BR": "Português" };

/** The chosen language, else the first one of the browser's that there is. */
function preferred() {
  const chosen = memory.get("language");
  if (chosen in languages) return chosen;
  for (const wish of navigator.languages ?? []) {
    if (wish.toLowerCase().startsWith("pt")) return "pt-BR";
    if (wish.toLowerCase().startsWith("en")) return "en";
  }
  return "en";
}

// A page has one language from its beginning to its end: a change loads it again.
const current = preferred();
document.documentElement.lang = current;
const words = await fetch(`/assets/words/${current}.json`).then((response) => response.json());
const plurals = new Intl.PluralRules(current);

export const language = () => current;

/** The text for a key; `values` fill its placeholders, and `values.count` chooses its plural form. */
export function t(key, values = {}) {
  const text = words[key] ?? key;
  const { count } = values;
  const form = typeof text === "string" ? text : text[`=${count}`] ?? text[plurals.select(count)] ?? text.other;
  return form.replace(/\{(\w+)\}/g, (gap, name) => String(values[name] ?? gap));
}

/** True if another tab has chosen another language since this page was loaded. */
export const isOutdated = () => preferred() !== current;

/** Loads the page again in another language. */
export function setLanguage(code) {
  memory.set("language", code);
  location.reload();
}

/** Bytes in units of 1024, as Swift writes them (`Language.size`): `512 B`, `13.7 KB`. */
export function size(bytes) {
  let [value, unit] = [bytes, 0];
  for (; value >= 1023.95 && unit < 4; unit += 1) value /= 1024;
  const number = new Intl.NumberFormat(current, { maximumFractionDigits: 1, useGrouping: false }).format(value);
  return `${number}\u00a0${["B", "KB", "MB", "GB", "TB"][unit]}`;
}
