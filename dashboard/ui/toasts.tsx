/** Short messages after actions of the user. Screen readers read them; failures stay until they are closed. */
import { createSignal, For, onCleanup } from 'solid-js';
import { sentenceOf } from '../api/client.ts';
import { started } from '../api/started-list.ts';
import { t } from '../text/text.ts';
import { CloseIcon } from './icons.tsx';
import { late } from './late.tsx';
import { Show } from './show.ts';

const Tray = late(async () => (await import('./tray.tsx')).Tray);

interface Toast {
  id: number;
  text: string;
  isFailure: boolean;
  action: Action | undefined;
}

/** A button to undo. */
interface Action {
  label: string;
  run(): void;
}

const shownMs = 5_000;
/** Long enough to read, reconsider and reach the button (WCAG 2.2.1). */
const shownWithActionMs = 20_000;
const shownMax = 4;

const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
let made = 0;

const close = (id: number) => setToasts((all) => all.filter((one) => one.id !== id));

function add(text: string, isFailure: boolean, action?: Action): void {
  const id = ++made;
  const toast = { id, text, isFailure, action };
  setToasts((all) => [...all.filter((one) => one.text !== text), toast].slice(-shownMax));
  if (!isFailure) setTimeout(() => close(id), action ? shownWithActionMs : shownMs);
}

/** @param action a button to undo */
export const say = (text: string, action?: Action): void => add(text, false, action);
export const sayFailure = (error: unknown): void => add(sentenceOf(error), true);

/** What failed before is mended, or of no more interest: called when an action of the user has succeeded. */
export const dropFailures = (): void => void setToasts((all) => all.filter(({ isFailure }) => !isFailure));

/** Runs an action of the user and shows its failure. @returns whether it succeeded */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    dropFailures();
    return true;
  } catch (error) {
    sayFailure(error);
    return false;
  }
}

/** Open dialogs, the topmost last: content outside of it can't be seen, pressed or heard. */
const [dialogs, setDialogs] = createSignal<readonly symbol[]>([]);

export function Toasts() {
  return (
    <section class="toasts" aria-live="polite" aria-label={t.nav.messages}>
      <Show when={started().length > 0}>
        <Tray />
      </Show>
      <ToastList isShown={dialogs().length === 0} />
    </section>
  );
}

/** The same messages, shown while a dialog is open. */
export function DialogToasts() {
  const own = Symbol();
  setDialogs((all) => [...all, own]);
  onCleanup(() => setDialogs((all) => all.filter((one) => one !== own)));
  return (
    <div class="toasts" aria-live="polite">
      <ToastList isShown={dialogs().at(-1) === own} />
    </div>
  );
}

function ToastList(props: { isShown: boolean }) {
  return (
    <Show when={props.isShown}>
      <For each={toasts()}>
        {(toast) => (
          <div class="toast" classList={{ failure: toast.isFailure }}>
            <p>{toast.text}</p>
            <Show when={toast.action}>
              {(action) => (
                <button
                  type="button"
                  class="button small"
                  onClick={() => {
                    close(toast.id);
                    action().run();
                  }}
                >
                  {action().label}
                </button>
              )}
            </Show>
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
    </Show>
  );
}
