import { isRunning } from "./api.js";
import { isLeaving, loadAgain } from "./carried.js";
import { isOutdated } from "./i18n.js";

/** True while its user is in a field, or in something that is open over the page: both would be gone after a load. */
function isBusyHere() {
  const focused = document.activeElement;
  const isField = focused instanceof HTMLTextAreaElement || (focused instanceof HTMLInputElement && focused.type !== "radio");
  if (isField && (focused.value !== "" || document.hasFocus())) return true;
  return document.querySelector(".popover:not([hidden]), dialog.sheet[open], dialog.drawer[open]") !== null;
}

/**
 * Another tab has chosen another language: this one is loaded again at once, where it is. Who is busy here is left alone: the page then
 * follows when they are done with it, or at their next navigation.
 *
 * @param {() => boolean} isHeld true if a load would lose something
 */
export function followLanguage(isHeld) {
  let isAsking = false;
  // A press on a link closes what was open, and loads the next page: that one must not be loaded again in its place.
  const mayFollow = () => isOutdated() && !isLeaving() && !isHeld() && !isBusyHere();
  const follow = async () => {
    if (isAsking || !mayFollow()) return;
    isAsking = true;
    // Without a server there is no page to load.
    const isServed = await isRunning();
    isAsking = false;
    if (isServed && mayFollow()) loadAgain({ isChosenHere: false });
  };
  addEventListener("storage", ({ key }) => (key === null || key === "aquifer.language") && follow());
  // The next element has the focus by then.
  addEventListener("focusout", () => setTimeout(follow));
  document.addEventListener("aquifer:found", follow);
}
