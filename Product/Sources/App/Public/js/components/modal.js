/**
 * Opens a window over the page. The page behind keeps its width when its scroll bar goes.
 *
 * @param {HTMLDialogElement} dialog
 */
export function showModal(dialog) {
  const root = document.documentElement;
  root.style.setProperty("--scroll-bar", `${innerWidth - root.clientWidth}px`);
  document.body.append(dialog);
  dialog.showModal();
}
