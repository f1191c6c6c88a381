/** Short answers to what the person did. Screen readers read them; failures stay until they are closed. */
import { createSignal, For } from 'solid-js';
import { sentenceOf } from '../api/client.ts';
import { t } from '../text/text.ts';
import { CloseIcon } from './icons.tsx';

interface Toast {
  id: number;
  text: string;
  isFailure: boolean;
}

const shownMs = 5_000;
const shownMax = 4;

const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
let made = 0;

const close = (id: number) => setToasts((all) => all.filter((one) => one.id !== id));

function add(text: string, isFailure: boolean): void {
  const id = ++made;
  setToasts((all) => [...all.filter((one) => one.text !== text), { id, text, isFailure }].slice(-shownMax));
  if (!isFailure) setTimeout(() => close(id), shownMs);
}

export const say = (text: string): void => add(text, false);
export const sayFailure = (error: unknown): void => add(sentenceOf(error), true);

/** Runs an action of the person; a failure is shown. @returns whether it succeeded */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    sayFailure(error);
    return false;
  }
}

export function Toasts() {
  return (
    <section class="toasts" aria-live="polite" aria-label={t.nav.main}>
      <For each={toasts()}>
        {(toast) => (
          <div class="toast" classList={{ failure: toast.isFailure }}>
            <p>{toast.text}</p>
            <button
              type="button"
              class="button quiet small"
              aria-label={t.close}
              onClick={() => close(toast.id)}
            >
              <CloseIcon />
            </button>
          </div>
        )}
      </For>
    </section>
  );
}
