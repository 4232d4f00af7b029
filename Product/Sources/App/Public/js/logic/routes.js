/** The addresses of all pages. The part in brackets is the page's id. `main.js` has a line with the module for each name. */
const ROUTES = {
  feed: /^\/$/,
  comments: /^\/feed\/([^/]+)$/,
  picture: /^\/feed\/([^/]+)\/picture$/,
  contacts: /^\/contacts$/,
  payment: /^\/pay\/(\d{1,18})$/,
  cards: /^\/cards$/,
  cardForm: /^\/cards\/new$/,
  payments: /^\/payments$/,
  foaas: /^\/foaas$/,
  operations: /^\/foaas\/operations$/,
  preview: /^\/foaas\/operations\/([^/]+)$/,
  foaasSettings: /^\/foaas\/settings$/,
  audio: /^\/audio$/,
  compose: /^\/audio\/new$/,
  outbox: /^\/outbox$/,
  drive: /^\/drive$/,
  driveCreate: /^\/drive\/new$/,
  driveAccount: /^\/drive\/([^/]+)$/,
  inspector: /^\/inspector$/,
};

/**
 * The page of an address. `id` is empty for a page that has none.
 *
 * @typedef {{ name: keyof typeof ROUTES | "notFound", id: string, query: URLSearchParams }} Route
 */

/**
 * The page of an address: `notFound` if there is none. A slash at its end makes no difference.
 *
 * @param {string} path
 * @param {string} search
 * @returns {Route}
 */
export function routeOf(path, search) {
  const query = new URLSearchParams(search);
  for (const [name, pattern] of Object.entries(ROUTES)) {
    const id = decoded(pattern.exec(path.replace(/(?<=[^/])\/$/, "")));
    if (id !== null) return { name: /** @type {keyof typeof ROUTES} */ (name), id, query };
  }
  return { name: "notFound", id: "", query };
}

/**
 * The id that a pattern found; null if it found nothing, or nothing that is an address: `/feed/%`.
 *
 * @param {RegExpExecArray | null} match
 */
function decoded(match) {
  try {
    return match && decodeURIComponent(match[1] ?? "");
  } catch {
    return null;
  }
}

/**
 * The id of a contact in a query; null if the text is none.
 *
 * @param {string | null} text
 */
export const contactId = (text) => (text !== null && /^\d{1,18}$/.test(text) ? text : null);
