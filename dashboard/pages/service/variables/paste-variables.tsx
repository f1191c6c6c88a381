/** A whole .env file: shows the changes before they are saved. */
import { createMemo, createSignal, For } from 'solid-js';
import { readEnvText } from '../../../../protocol/env-text.ts';
import { api } from '../../../api/client.ts';
import { renewService, type Variable } from '../../../api/queries.ts';
import { variablesText } from '../../../text/service-text.ts';
import { t } from '../../../text/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';

export function PasteVariables(props: {
  serviceId: string;
  variables: readonly Variable[];
  onClose(): void;
}) {
  const [text, setText] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const known = () => new Set(props.variables.map(({ key }) => key));
  const read = createMemo(() => readEnvText(text()));
  const keys = () => read().entries.map(({ key }) => key);
  const save = async () => {
    setBusy(true);
    const isSaved = await attempt(async () => {
      const options = { params: { serviceId: props.serviceId }, body: { text: text() } };
      const { env, warnings = [] } = await api.call('POST /api/services/:serviceId/env/bulk', options);
      say([variablesText.saved(env.length), ...warnings].join('. '));
      await renewService(props.serviceId);
    });
    setBusy(false);
    if (isSaved) props.onClose();
  };
  return (
    <Dialog title={variablesText.pasteTitle} onClose={props.onClose} wide>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy()) void save();
        }}
      >
        <label>
          <span>{variablesText.pasteLabel}</span>
          <textarea
            class="mono"
            rows="10"
            required
            autofocus
            spellcheck={false}
            autocomplete="off"
            placeholder={variablesText.pasteExample}
            value={text()}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <small class="quiet-text">{variablesText.pasteHelp}</small>
        </label>
        <Show when={read().problem}>
          {(problem) => <p role="status">{variablesText.pasteProblem(problem())}</p>}
        </Show>
        <Show when={keys().length > 0}>
          <ul class="changes" aria-label={variablesText.title}>
            <For each={keys()}>
              {(key) => (
                <li>
                  <code>{key}</code>
                  <span class={known().has(key) ? 'tag waits' : 'tag'}>
                    {known().has(key) ? variablesText.pasteChanged : variablesText.pasteNew}
                  </span>
                </li>
              )}
            </For>
          </ul>
        </Show>
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy()}>
            {variablesText.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
