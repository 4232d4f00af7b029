// Before the texts, which take a while: the token is out of the address, and kept, from the beginning.
import { authorization } from "./token.js";
import { language } from "./i18n.js";
import { addressOf } from "./logic/early.js";
import { detailOf, judged } from "./logic/refused.js";
import { keptTab, newTab } from "./logic/tab.js";

/** The kind of the refusals of a server that waits for its database. Nothing was changed then. */
export const STARTING = "starting";

/**
 * A refusal or failure of the server. `status` is 0 when it could not be reached: nobody answered, or a proxy did (the kind is
 * `gateway` then). It is 421 when another replica was meant: nothing was done, and the stream must be connected again.
 */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} kind
   * @param {string} message
   */
  constructor(status, kind, message) {
    super(message);
    this.status = status;
    this.kind = kind;
  }
}

/** @type {string | null} */
let tabId = null;

/** This tab's id: it names the session whose models the page shows, and survives a reload. */
export function tab() {
  tabId ??= keptTab() ?? newTab();
  return tabId;
}

/**
 * `/api/…?tab=T&lang=L` and what else the address needs.
 *
 * @param {string} path
 * @param {Record<string, string>} query
 */
export function address(path, query = {}) {
  return addressOf(path, query, tab(), language());
}

/**
 * `fetch` of an address of ours, with the token. For anything that `request` and `upload` are not made for.
 *
 * @param {string} url
 * @param {RequestInit & { headers?: Record<string, string> }} options
 */
export function fetchOwn(url, options = {}) {
  return fetch(url, { ...options, headers: { ...options.headers, ...authorization() } });
}

/** The header of a replica's name. */
const REPLICA = "Aquifer-Replica";

/**
 * The name of the replica that has answered; null if it says none.
 *
 * @param {Response} response
 */
export const replicaOf = (response) => response.headers.get(REPLICA);

/**
 * The header of what only this replica may take: it has the screens that are spoken to.
 *
 * @param {string | null} replica
 * @returns {Record<string, string>}
 */
const meant = (replica) => (replica === null ? {} : { [REPLICA]: replica });

/** Below this many characters a body may outlive its page: browsers allow 64 KiB for all of them together. */
const SHORT = 2_000;

/**
 * Sends a request and returns the answer's JSON, or null for an empty one. What a user has just chosen is sent although the user leaves
 * the page at once, if it is short.
 *
 * @param {string} method
 * @param {string} url
 * @param {object} [body]
 * @param {string | null} [replica] the only one that may take it; null for any
 * @param {AbortSignal} [signal] ends it with the signal's reason, if it is aborted
 */
export async function request(method, url, body, replica = null, signal) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return exchange(url, {
    method,
    signal,
    keepalive: text !== undefined && text.length < SHORT,
    headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...meant(replica) },
    body: text,
  });
}

/** True if the server on this machine can be asked for something: it answers, and does not wait for its database. */
export async function isRunning() {
  try {
    await request("GET", address("/api/connection"));
    return true;
  } catch (error) {
    return error instanceof ApiError && error.status > 0 && error.kind !== STARTING;
  }
}

/**
 * Sends a file or a recording as it is. A `signal` that is aborted ends it with the signal's reason.
 *
 * @param {string} url
 * @param {Blob} blob
 * @param {AbortSignal} signal
 * @param {string | null} replica the only one that may take it; null for any
 */
export async function upload(url, blob, signal, replica) {
  return exchange(url, { method: "POST", headers: { "Content-Type": blob.type || "application/octet-stream", ...meant(replica) }, body: blob, signal });
}

/**
 * @param {string} url
 * @param {RequestInit & { headers?: Record<string, string> }} options
 * @returns {Promise<unknown>}
 */
async function exchange(url, options) {
  let response;
  try {
    response = await fetchOwn(url, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(0, "connectivity", String(error));
  }
  if (!response.ok) throw await refusal(response);
  if (response.status === 204) return null;
  try {
    return await response.json();
  } catch (error) {
    throw new ApiError(response.status, "invalidData", String(error));
  }
}

/**
 * The error that a response carries; a 401 also tells the shell that this page may not be here.
 *
 * @param {Response} response
 */
export async function refusal(response) {
  const detail = await detailOf(response);
  const { status, kind, isSignedOut } = judged(response.status, detail);
  if (kind === STARTING) document.dispatchEvent(new Event("aquifer:starting"));
  if (isSignedOut) document.dispatchEvent(new CustomEvent("aquifer:signed-out", { detail: detail?.kind }));
  return new ApiError(status, kind, detail?.message ?? response.statusText);
}
