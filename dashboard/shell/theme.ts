/** Light, dark, or the system's theme. public/start.js applies the choice before the first paint. */
import { createSignal } from 'solid-js';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'longshore-theme';
const [theme, setSignal] = createSignal<Theme>(stored());

export { theme };

export function setTheme(next: Theme): void {
  setSignal(next);
  if (next === 'system') {
    localStorage.removeItem(storageKey);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(storageKey, next);
    document.documentElement.dataset.theme = next;
  }
}

function stored(): Theme {
  const { theme: chosen } = document.documentElement.dataset;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}
