/**
 * Opens a window over the page. The page behind keeps its width when its scroll bar goes, and a click beside the window closes it.
 *
 * @param {HTMLDialogElement} dialog
 */
export function showModal(dialog) {
  const root = document.documentElement;
  root.style.setProperty("--scroll-bar", `${innerWidth - root.clientWidth}px`);
  if (!dialog.isConnected) document.body.append(dialog);
  // Only the backdrop is outside of the frame.
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close();
  };
  dialog.showModal();
}
