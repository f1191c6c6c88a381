/** Searches that a person keeps, in the storage of the browser. */
import { createRoot, createSignal } from 'solid-js';

const key = 'longshore-log-searches';
const savedMax = 20;

const [saved, setSaved] = createRoot(() => createSignal<readonly string[]>(read()));

export { saved as savedSearches };

function read(): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string').slice(0, savedMax) : [];
  } catch {
    return [];
  }
}

/** Keeps the search, or forgets it if it is kept. */
export function toggleSaved(query: string): void {
  setSaved((list) =>
    list.includes(query) ? list.filter((one) => one !== query) : [query, ...list].slice(0, savedMax),
  );
  try {
    localStorage.setItem(key, JSON.stringify(saved()));
  } catch {
    // Without storage they last as long as the page.
  }
}
