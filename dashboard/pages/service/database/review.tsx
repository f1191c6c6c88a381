/** The staged changes: a bar below the grid, and a diff before they are written. */
import { createSignal, For } from 'solid-js';
import { sentenceOf } from '../../../api/client.ts';
import { queries } from '../../../api/query-client.ts';
import { t } from '../../../text/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { CloseIcon } from '../../../ui/icons.tsx';
import { Show } from '../../../ui/show.ts';
import { say } from '../../../ui/toasts.tsx';
import { rowText, stagedText } from './database-text.ts';
import { keyExpiryText } from './expiry-text.ts';
import { expiryText } from './key-expiry.tsx';
import type { Change, Staged } from './staged.ts';
import { cellText, type Value } from './values.ts';

export function StagedBar(props: { serviceId: string; staged: Staged }) {
  const [isOpen, setIsOpen] = createSignal(false);
  const count = () => props.staged.changes().length;
  return (
    <Show when={count() > 0}>
      <section class="staged-bar" aria-live="polite">
        <strong>{stagedText.count(count())}</strong>
        <div class="actions">
          <Button class="small" onClick={props.staged.discardAll}>
            {stagedText.discard}
          </Button>
          <Button kind="primary" class="small" onClick={() => setIsOpen(true)}>
            {stagedText.review}
          </Button>
        </div>
      </section>
      <Show when={isOpen()}>
        <Review serviceId={props.serviceId} staged={props.staged} onClose={() => setIsOpen(false)} />
      </Show>
    </Show>
  );
}

function Review(props: { serviceId: string; staged: Staged; onClose(): void }) {
  const [busy, setBusy] = createSignal(false);
  const count = () => props.staged.changes().length;
  const write = async () => {
    setBusy(true);
    const all = count();
    const written = await props.staged.write(sentenceOf);
    setBusy(false);
    say(written === all ? stagedText.written(written) : stagedText.some(written, all));
    if (written === all) props.onClose();
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['rows', props.serviceId] }),
      queries.invalidateQueries({ queryKey: ['tables', props.serviceId] }),
    ]);
  };
  return (
    <Dialog wide title={stagedText.title} onClose={props.onClose}>
      <p class="quiet-text">{stagedText.help}</p>
      <ul class="diff">
        <For each={props.staged.changes()}>
          {(change) => <ChangeLine change={change} onDiscard={() => props.staged.discard(change.id)} />}
        </For>
      </ul>
      <footer class="actions end">
        <Button onClick={props.onClose}>{t.cancel}</Button>
        <Button kind="primary" autofocus busy={busy()} onClick={() => void write()}>
          {stagedText.write(count())}
        </Button>
      </footer>
    </Dialog>
  );
}

/** A value in unambiguous words: NULL, an empty text, and a text that contains "NULL" differ. */
const Told = (props: { value: Value }) => (
  <Show
    when={typeof props.value === 'string' && props.value !== ''}
    fallback={<em>{props.value === '' ? rowText.empty : cellText(props.value)}</em>}
  >
    {cellText(props.value)}
  </Show>
);

function ChangeLine(props: { change: Change; onDiscard(): void }) {
  const title = () => {
    if (props.change.kind === 'expiry') return keyExpiryText.title;
    return props.change.kind === 'insert' ? stagedText.inserted : JSON.stringify(props.change.primaryKey);
  };
  return (
    <li>
      <header>
        <code>
          {props.change.table.name} {title()}
        </code>
        <Button
          kind="quiet"
          class="small"
          icon={CloseIcon}
          aria-label={stagedText.discardOne}
          onClick={props.onDiscard}
        />
      </header>
      <Show
        when={props.change.kind !== 'delete'}
        fallback={
          <p>
            <del>{stagedText.deleted}</del>
          </p>
        }
      >
        <dl>
          <For each={Object.entries(props.change.values)}>
            {([name, value]) => (
              <div>
                <dt>{name}</dt>
                <dd>
                  <Show when={props.change.kind === 'update'}>
                    <span class="visually-hidden">{stagedText.before}</span>
                    <del>
                      <Told value={props.change.before[name]} />
                    </del>{' '}
                  </Show>
                  <span class="visually-hidden">{stagedText.after}</span>
                  <ins>
                    <Told value={value} />
                  </ins>
                </dd>
              </div>
            )}
          </For>
        </dl>
      </Show>
      <Show when={props.change.expiry}>
        {(expiry) => (
          <p>
            <span class="visually-hidden">{stagedText.before}</span>
            <del>{expiryText(expiry().before)}</del> <span class="visually-hidden">{stagedText.after}</span>
            <ins>{expiryText(expiry().after)}</ins>
          </p>
        )}
      </Show>
      <Show when={props.change.refusal}>
        {(sentence) => (
          <p class="field-failure" role="alert">
            {sentence()}
          </p>
        )}
      </Show>
    </li>
  );
}
