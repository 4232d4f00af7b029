/** True if this browser can share. */
export const canShare = () => "share" in navigator;

/**
 * Shares by the window of the system. Who closes that has shared nothing, and knows it.
 *
 * @param {() => ShareData | Promise<ShareData>} make
 * @param {() => void} failed
 */
export async function share(make, failed) {
  try {
    await navigator.share(await make());
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) failed();
  }
}
