// Runs before the page is painted, so that a chosen theme does not flash. shell/theme.ts changes it.
(() => {
  try {
    const chosen = localStorage.getItem('longshore-theme');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage is blocked: the system's theme applies.
  }
})();
