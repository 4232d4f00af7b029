// Runs before the first paint, so that a chosen theme never flashes the other one.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("aquifer.theme");
  } catch {
    // Storage can be switched off; the system's theme is then used.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
