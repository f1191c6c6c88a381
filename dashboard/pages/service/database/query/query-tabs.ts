/** The statements that are being written, in tabs, and those that were saved under a name. They stay in this browser until the user signs out. */
import { createSignal } from 'solid-js';
import { keptPrefix } from '../../../../api/session.ts';

export interface QueryTabState {
  id: string;
  text: string;
}

export interface SavedQuery {
  name: string;
  text: string;
}

/** More tabs have no room, and more saved statements no overview. */
const tabsMax = 12;
const savedMax = 100;

/** @param first the text of the first tab, if nothing was kept */
export function createQueryTabs(serviceId: string, first: string) {
  const tabsKey = `${keptPrefix}query-tabs-${serviceId}`;
  const savedKey = `${keptPrefix}saved-queries-${serviceId}`;
  const kept = read<QueryTabState>(tabsKey, ['id', 'text']).slice(0, tabsMax);
  const [tabs, setTabs] = createSignal<readonly QueryTabState[]>(kept.length > 0 ? kept : [newTab(first)]);
  const [chosen, setChosen] = createSignal(tabs()[0]?.id ?? '');
  const [saved, setSaved] = createSignal<readonly SavedQuery[]>(read<SavedQuery>(savedKey, ['name', 'text']));
  const current = () => tabs().find(({ id }) => id === chosen()) ?? (tabs()[0] as QueryTabState);
  const keepTabs = (next: readonly QueryTabState[]) => {
    setTabs(next);
    keep(tabsKey, next);
  };
  const keepSaved = (next: readonly SavedQuery[]) => {
    setSaved(next);
    keep(savedKey, next);
  };
  return {
    tabs,
    saved,
    current,
    choose: setChosen,
    mayAdd: () => tabs().length < tabsMax,
    /** Changes the statement of the chosen tab. */
    write: (text: string) =>
      keepTabs(tabs().map((tab) => (tab.id === current().id ? { ...tab, text } : tab))),
    /** Opens a statement in a tab of its own, or in the chosen one if that is empty or there is no room. */
    open(text: string) {
      const isHere = current().text.trim() === '' || tabs().length >= tabsMax;
      const tab = isHere ? { ...current(), text } : newTab(text);
      keepTabs(isHere ? tabs().map((one) => (one.id === tab.id ? tab : one)) : [...tabs(), tab]);
      setChosen(tab.id);
    },
    add() {
      const tab = newTab('');
      keepTabs([...tabs(), tab]);
      setChosen(tab.id);
    },
    close(id: string) {
      const at = tabs().findIndex((tab) => tab.id === id);
      const left = tabs().filter((tab) => tab.id !== id);
      const next = left.length > 0 ? left : [newTab('')];
      keepTabs(next);
      if (chosen() === id) setChosen(next[Math.min(at, next.length - 1)]?.id ?? '');
    },
    /** Saves the statement of the chosen tab; the name replaces one of the same name. */
    save(name: string) {
      const others = saved().filter((one) => one.name !== name);
      keepSaved([{ name, text: current().text }, ...others].slice(0, savedMax));
    },
    remove: (name: string) => keepSaved(saved().filter((one) => one.name !== name)),
  };
}

const newTab = (text: string): QueryTabState => ({ id: crypto.randomUUID(), text });

/** The first words of a statement, as the name of its tab; empty: the statement is. */
export function tabName(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 24 ? `${line.slice(0, 23)}…` : line;
}

function keep(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The storage is full or blocked: the page works, and a reload begins anew.
  }
}

function read<One extends object>(key: string, fields: readonly (keyof One)[]): One[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored)
      ? stored.filter((one): one is One => fields.every((field) => typeof one?.[field] === 'string'))
      : [];
  } catch {
    return [];
  }
}
