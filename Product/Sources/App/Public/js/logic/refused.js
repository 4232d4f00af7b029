/**
 * What the body of a refusal tells: its `error`, nothing if the body is not the server's own, and null if it did not arrive.
 *
 * @param {Response} response
 * @returns {Promise<Partial<Wire.ScreenError> | undefined | null>}
 */
export async function told(response) {
  let text;
  try {
    text = await response.text();
  } catch {
    // The connection broke, or whoever asked no longer waits.
    return null;
  }
  try {
    return JSON.parse(text).error;
  } catch {
    return undefined;
  }
}
