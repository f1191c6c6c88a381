// Runs before the page is painted, and before the main script, so it can't use its texts and components.

// Apply the chosen theme before painting, to avoid a flash. shell/theme.ts changes the theme.
(() => {
  try {
    const chosen = localStorage.getItem('longshore-theme');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage is blocked: the system's theme applies.
  }
})();

// When the network changes, a browser cancels its loads and does not retry them: the page would stay empty without a message.
(() => {
  const pausesMs = [300, 1_500];
  const slowMs = 10_000;
  const storageKey = 'longshore-loads';
  let isLost = false;
  let styles = 0;

  /** Counts how often this tab has reloaded the page. If storage is blocked, it never reloads. */
  const loads = (next) => {
    try {
      const before = Number(sessionStorage.getItem(storageKey) ?? 0);
      if (next === 0) sessionStorage.removeItem(storageKey);
      else if (next !== undefined) sessionStorage.setItem(storageKey, String(next));
      return before;
    } catch {
      return pausesMs.length;
    }
  };

  /** Shows a message until the main script has started. */
  const say = (title, sentence) => {
    const place = document.getElementById('app');
    if (!place || place.querySelector('main:not(.start)')) return;
    const main = document.createElement('main');
    main.className = 'start empty';
    const [heading, text, button] = ['h1', 'p', 'button'].map((tag) => document.createElement(tag));
    heading.textContent = title;
    text.textContent = sentence;
    text.setAttribute('role', 'alert');
    button.textContent = 'Try again';
    button.className = 'button primary';
    button.addEventListener('click', () => location.reload());
    main.append(heading, text, button);
    place.replaceChildren(main);
  };

  /** Reload the page, because a module that failed to load can't be loaded again in the same page. */
  const programLost = () => {
    if (isLost) return;
    isLost = true;
    const before = loads();
    const pauseMs = pausesMs[before];
    if (pauseMs !== undefined) {
      loads(before + 1);
      setTimeout(() => location.reload(), pauseMs);
      return;
    }
    loads(0);
    const show = () =>
      say('Longshore could not be loaded', 'A file of this page did not arrive. Check the connection.');
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', show);
    else show();
  };

  /** Reload only the style: the main script may have started, and may have removed the code of a sign-in link from the address. */
  const styleLost = (link) => {
    const pauseMs = pausesMs[styles++];
    if (pauseMs !== undefined) setTimeout(() => link.replaceWith(link.cloneNode()), pauseMs);
  };

  const of = (file) => `${location.origin}/dashboard/${file}`;
  addEventListener(
    'error',
    ({ target }) => {
      if (target?.src === of('app.js')) programLost();
      if (target?.href === of('style.css')) styleLost(target);
    },
    true,
  );
  addEventListener('load', () => {
    if (!isLost) loads(0);
  });
  setTimeout(() => {
    if (!isLost) say('Longshore is still loading', 'The connection is slow or was interrupted.');
  }, slowMs);
})();
