/** The list of keys. */
import { For } from 'solid-js';
import { t } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';

export function KeyboardHelp(props: { onClose(): void }) {
  return (
    <Dialog title={t.keys.title} onClose={props.onClose}>
      <dl class="keys">
        <For each={t.keys.rows}>
          {([keys, meaning]) => (
            <>
              <dt>
                <For each={keys.split(' ')}>{(key) => <kbd>{key}</kbd>}</For>
              </dt>
              <dd>{meaning}</dd>
            </>
          )}
        </For>
      </dl>
    </Dialog>
  );
}
