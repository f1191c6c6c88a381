/** The expiry of a key in Redis. A change of it is staged together with changes of values. */
import { createSignal } from 'solid-js';
import { t } from '../../text/text.ts';
import { spanText } from '../../ui/age.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Show } from '../../ui/show.ts';
import { secondsIn } from './expiry-command.ts';
import { changeId, type Staged } from './staged.ts';
import type { Table } from './types.ts';

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
            <span class="visually-hidden">{t.staged.after}</span> <ins>{expiryText(change().after)}</ins>{' '}
          </>
        )}
      </Show>
      <Show when={props.mayWrite && props.database !== undefined}>
        <button type="button" class="link" onClick={() => setIsOpen(true)}>
          {t.expiry.change}
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
      setFailure(t.expiry.bad);
      return false;
    }
    props.staged.expire(props.table, { database: props.database ?? 0, before: props.ttl, after });
    return true;
  };
  return (
    <FormDialog
      title={t.expiry.dialog(props.table.name)}
      submitLabel={t.row.stage}
      isBusy={false}
      submit={submit}
      onClose={props.onClose}
    >
      <TextField
        label={t.expiry.seconds}
        help={t.expiry.help}
        failure={failure()}
        value={seconds()}
        autofocus
        onInput={setSeconds}
      />
    </FormDialog>
  );
}

export const expiryText = (seconds: number | null): string =>
  seconds === null ? t.expiry.never : t.expiry.expires(spanText(seconds * 1_000));
