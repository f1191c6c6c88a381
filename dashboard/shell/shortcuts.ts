/** The keyboard: single keys while the user is not typing, and Ctrl-K everywhere. */
import { onCleanup, onMount } from 'solid-js';

export interface Shortcuts {
  palette(): void;
  help(): void;
  /** Actions of the second keys after `g`. */
  go: Record<string, () => void>;
}

/** Time for the second key. */
const sequenceMs = 1_500;

export function useShortcuts(shortcuts: Shortcuts): void {
  let goUntil = 0;
  const pressed = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      return shortcuts.palette();
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event)) {
      if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
      return;
    }
    if (document.querySelector('dialog[open]')) return;
    const goes = event.timeStamp < goUntil ? shortcuts.go[event.key] : undefined;
    goUntil = event.key === 'g' ? event.timeStamp + sequenceMs : 0;
    if (goes) goes();
    else if (event.key === '?') shortcuts.help();
    else if (event.key === '/') focusFilter();
    else return;
    event.preventDefault();
  };
  onMount(() => document.addEventListener('keydown', pressed));
  onCleanup(() => document.removeEventListener('keydown', pressed));
}

/** A key of the shown page, while the calling component is mounted; not while the user is typing or a dialog is open. */
export function usePageKey(key: string, run: () => void): void {
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    if (document.querySelector('dialog[open]')) return;
    event.preventDefault();
    run();
  };
  onMount(() => document.addEventListener('keydown', pressed));
  onCleanup(() => document.removeEventListener('keydown', pressed));
}

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** The field of the page that `/` focuses has `data-filter`. */
function focusFilter(): void {
  const field = document.querySelector<HTMLInputElement>('[data-filter]');
  field?.focus();
  field?.select();
}
