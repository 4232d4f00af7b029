/**
 * Reads the body of a refusal. Returns its `error`, `undefined` if the body is not the server's own, and null if it did not arrive.
 *
 * @param {Response} response
 * @returns {Promise<Partial<Wire.ScreenError> | undefined | null>}
 */
export async function detailOf(response) {
  let text;
  try {
    text = await response.text();
  } catch {
    // The connection broke, or whoever asked no longer waits.
    return null;
  }
  try {
    return JSON.parse(text).error ?? undefined;
  } catch {
    return undefined;
  }
}

/** The answers of a proxy whose servers are gone or busy. */
const GATEWAY = [502, 503, 504];

/**
 * Judges a refusal: the status and the kind of the error that it is, and whether the page may not be here. A status of 0 says that the
 * server has not answered.
 *
 * - A 401 whose reason did not arrive counts as no answer: the next one tells the reason.
 * - A page that is not the server's own carries nothing to show. It may be one of a proxy, which is no answer of the server.
 *
 * @param {number} status
 * @param {Awaited<ReturnType<typeof detailOf>>} detail
 * @returns {{ status: number, kind: string, isSignedOut: boolean }}
 */
export function judged(status, detail) {
  if (detail === null && status === 401) return { status: 0, kind: "connectivity", isSignedOut: false };
  if (!detail && GATEWAY.includes(status)) return { status: 0, kind: "gateway", isSignedOut: false };
  return { status, kind: detail?.kind ?? "store", isSignedOut: status === 401 };
}
