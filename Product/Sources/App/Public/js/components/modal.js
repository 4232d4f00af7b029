/**
 * Opens a window over the page. The page behind keeps its width when its scroll bar goes.
 *
 * @param {HTMLDialogElement} dialog
 * @param {() => void} [beside] is called for a click beside the window; a window that has its own way to close leaves it out
 */
export function showModal(dialog, beside) {
  const root = document.documentElement;
  root.style.setProperty("--scroll-bar", `${innerWidth - root.clientWidth}px`);
  if (!dialog.isConnected) document.body.append(dialog);
  // Only the backdrop is outside of the frame.
  if (beside) {
    // A handler that returns false would keep the links in the window from working.
    dialog.onclick = ({ target }) => {
      if (target === dialog) beside();
    };
  }
  dialog.showModal();
}
