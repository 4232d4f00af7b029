import { h } from "../dom.js";

/**
 * Makes a file and gives it to the browser, which saves it among the downloads. It is told either way how that went.
 *
 * @param {() => Promise<{ blob: Blob, name: string }>} make
 * @param {(isSaved: boolean, error?: unknown) => void} tell
 */
export async function save(make, tell) {
  try {
    const { blob, name } = await make();
    download(blob, name);
  } catch (error) {
    return tell(false, error);
  }
  tell(true);
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function download(blob, name) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * The picture on a canvas.
 *
 * @param {HTMLCanvasElement} canvas
 * @returns {Promise<Blob>}
 */
export async function pictureOf(canvas) {
  /** @type {Blob | null} */
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("this browser cannot make the picture");
  return blob;
}
