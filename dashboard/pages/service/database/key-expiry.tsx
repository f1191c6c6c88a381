/** The expiry of a key in Redis. A change of it is staged together with changes of values. */
import { createSignal } from 'solid-js';
import { spanText } from '../../../ui/age.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { rowText, stagedText } from './database-text.ts';
import { secondsIn } from './expiry-command.ts';
import { keyExpiryText } from './expiry-text.ts';
import { changeId, type Staged } from './staged.ts';
import type { Table } from './table-types.ts';

interface KeyExpiryProps {
  table: Table;
  /** Seconds; null: never. */
  ttl: number | null;
  /** The logical database; undefined while it is not known. */
  database: number | undefined;
  staged: Staged;
  mayWrite: boolean;
}

export function KeyExpiry(props: KeyExpiryProps) {
  const [isOpen, setIsOpen] = createSignal(false);
  const staged = () => props.staged.find(changeId(props.table, 'expiry'))?.expiry;
  return (
    <p class="quiet-text">
      <span>{expiryText(props.ttl)}</span>{' '}
      <Show when={staged()}>
        {(change) => (
          <>
            <span class="visually-hidden">{stagedText.after}</span> <ins>
              {expiryText(change().after)}
            </ins>{' '}
          </>
        )}
      </Show>
      <Show when={props.mayWrite && props.database !== undefined}>
        <button type="button" class="link" onClick={() => setIsOpen(true)}>
          {keyExpiryText.change}
        </button>
      </Show>
      <Show when={isOpen()}>
        <EditExpiry {...props} onClose={() => setIsOpen(false)} />
      </Show>
    </p>
  );
}

function EditExpiry(props: KeyExpiryProps & { onClose(): void }) {
  const [seconds, setSeconds] = createSignal(String(props.ttl ?? ''));
  const [failure, setFailure] = createSignal('');
  const submit = async () => {
    const after = secondsIn(seconds());
    if (after === undefined) {
      setFailure(keyExpiryText.bad);
      return false;
    }
    props.staged.expire(props.table, { database: props.database ?? 0, before: props.ttl, after });
    return true;
  };
  return (
    <FormDialog
      title={keyExpiryText.dialog(props.table.name)}
      submitLabel={rowText.stage}
      isBusy={false}
      submit={submit}
      onClose={props.onClose}
    >
      <TextField
        label={keyExpiryText.seconds}
        help={keyExpiryText.help}
        failure={failure()}
        value={seconds()}
        autofocus
        onInput={setSeconds}
      />
    </FormDialog>
  );
}

export const expiryText = (seconds: number | null): string =>
  seconds === null ? keyExpiryText.never : keyExpiryText.expires(spanText(seconds * 1_000));
