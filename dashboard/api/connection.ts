/** Tracks whether the control plane answers. Pages show it, and show old data with its age. */
import { createSignal } from 'solid-js';

/** `offline`: this device has no network. `away`: there is no answer. `failing`: the control plane answers that it can't work now. */
export type Connection = 'ok' | 'offline' | 'away' | 'failing';

/** Pause between two attempts while there is no answer. */
const retryMs = 4_000;

const [connection, setConnection] = createSignal<Connection>(navigator.onLine ? 'ok' : 'offline');
const [answeredAt, setAnsweredAt] = createSignal(Date.now());

export { answeredAt, connection };

let retrying: ReturnType<typeof setTimeout> | undefined;

/** @param status of any answer */
export function reportAnswer(status: number): void {
  setAnsweredAt(Date.now());
  change(status === 503 || status === 502 || status === 504 ? connection() : 'ok');
}

/** A request got no answer. */
export function reportSilence(): void {
  change(navigator.onLine ? 'away' : 'offline');
}

function change(next: Connection): void {
  if (next !== connection()) setConnection(next);
  if (next === 'ok' || retrying !== undefined) return;
  retrying = setTimeout(probe, retryMs);
}

/** Requests the health, which needs no key. */
export async function probe(): Promise<void> {
  clearTimeout(retrying);
  retrying = undefined;
  try {
    const response = await fetch('/healthz', { cache: 'no-store' });
    if (response.ok) setAnsweredAt(Date.now());
    change(response.ok ? 'ok' : 'failing');
  } catch {
    change(navigator.onLine ? 'away' : 'offline');
  }
}

addEventListener('online', () => void probe());
addEventListener('offline', () => change('offline'));
