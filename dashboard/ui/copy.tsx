/** A value with a button that copies it. */
import { t } from '../text/text.ts';
import { CopyIcon } from './icons.tsx';
import { Show } from './show.ts';
import { say } from './toasts.tsx';

/** @param done the message to show afterwards */
export async function copyText(text: string, done: string = t.copied): Promise<void> {
  await navigator.clipboard.writeText(text);
  say(done);
}

export function CopyButton(props: { text: string; what: string }) {
  return (
    <button
      type="button"
      class="button quiet small"
      aria-label={t.copy(props.what)}
      title={t.copy(props.what)}
      onClick={() => void copyText(props.text)}
    >
      <CopyIcon />
    </button>
  );
}

export function Copyable(props: { text: string; what: string }) {
  return (
    <Show when={props.text !== ''} fallback="–">
      <span class="copyable">
        <code>{props.text}</code>
        <CopyButton text={props.text} what={props.what} />
      </span>
    </Show>
  );
}
