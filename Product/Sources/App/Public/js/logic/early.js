import { routeOf } from "./routes.js";
import { bearer, tokenIn } from "./token.js";

/**
 * The screens whose states a page asks for before its modules are there, by the names of their routes.
 *
 * @type {Partial<Record<import("./routes.js").Route["name"], string>>}
 */
const SCREENS = { feed: "feed", comments: "feed", picture: "feed", contacts: "contacts", foaas: "foaas", audio: "audio", drive: "drive", inspector: "inspector" };

/**
 * `/api/…?tab=T&lang=L` and what else the address needs.
 *
 * @param {string} path
 * @param {Record<string, string>} query
 * @param {string} tab
 * @param {string} language
 */
export const addressOf = (path, query, tab, language) => `${path}?${new URLSearchParams({ ...query, tab, lang: language })}`;

/**
 * The headers of a request for a stream.
 *
 * @param {Record<string, string>} headers the ones of the screen
 * @param {Record<string, string>} authorization the one of the token
 * @returns {Record<string, string>}
 */
export const streamHeaders = (headers, authorization) => ({ ...headers, Accept: "text/event-stream", ...authorization });

/**
 * A text that two requests share if they ask for the same in the same way.
 *
 * @param {string} url
 * @param {Record<string, string>} headers
 */
export const keyOf = (url, headers) => JSON.stringify([url, Object.entries(headers).sort()]);

/**
 * The request for the states of the page's first screen, as that screen will send it. Null if the page may say something else by then.
 *
 * @param {{ path: string, search: string, hash: string, isCarried: boolean, tab: string | null, language: string, token: string | null }} page
 */
export function firstRequest({ path, search, hash, isCarried, tab, language, token }) {
  const screen = SCREENS[routeOf(path, search).name];
  if (!screen || tab === null || isCarried || tokenIn(hash) !== null) return null;
  return { url: addressOf(`/api/screens/${screen}/events`, {}, tab, language), headers: streamHeaders({ "Aquifer-Appear": "load" }, bearer(token)) };
}
