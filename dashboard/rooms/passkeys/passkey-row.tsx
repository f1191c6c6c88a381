/** One passkey and its actions. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { type OtherWays, type Passkey, removePasskey } from '../../api/passkeys.ts';
import { t } from '../../text/text.ts';
import { Age } from '../../ui/age.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';

interface PasskeyProps {
  passkey: Passkey;
  /** The number of other passkeys. */
  others: number;
  otherWays: OtherWays;
  renew(): Promise<void>;
}

export function PasskeyRow(props: PasskeyProps) {
  const [asking, setAsking] = createSignal<'rename' | 'remove'>();
  const close = () => setAsking(undefined);
  const name = () => props.passkey.name;
  const remaining = () => {
    const { providers, hasOtherOwner } = props.otherWays;
    const isLast = props.others === 0 && providers.length === 0;
    return isLast ? t.passkeys.lastWay(hasOtherOwner) : t.passkeys.left(props.others, providers);
  };
  const remove = async () => {
    if (await attempt(() => removePasskey(props.passkey))) say(t.passkeys.removed);
    await props.renew();
  };
  return (
    <li>
      <PasskeyFacts passkey={props.passkey} />
      <div class="actions">
        <Button class="small" aria-label={t.passkeys.renameLabel(name())} onClick={() => setAsking('rename')}>
          {t.passkeys.rename}
        </Button>
        <Button class="small" aria-label={t.passkeys.removeLabel(name())} onClick={() => setAsking('remove')}>
          {t.passkeys.remove}
        </Button>
      </div>
      <Show when={asking() === 'rename'}>
        <Rename passkey={props.passkey} renew={props.renew} onClose={close} />
      </Show>
      <Show when={asking() === 'remove'}>
        <Confirm
          title={t.passkeys.removeTitle(name())}
          help={`${t.passkeys.removeHelp} ${remaining()}`}
          submit={t.passkeys.remove}
          danger
          onClose={close}
          onConfirm={() => void remove()}
        />
      </Show>
    </li>
  );
}

const PasskeyFacts = (props: { passkey: Passkey }) => (
  <span>
    <strong>{props.passkey.name}</strong>{' '}
    <Show when={props.passkey.isSynced}>
      <span class="tag">{t.passkeys.synced}</span>{' '}
    </Show>
    <Show when={props.passkey.rpId !== location.hostname}>
      <span class="tag">{t.passkeys.at(props.passkey.rpId)}</span>
    </Show>
    <small class="quiet-text">
      {t.passkeys.addedAt} <Age at={props.passkey.createdAt} />.{' '}
      <Show when={props.passkey.lastUsedAt} fallback={`${t.passkeys.unused}.`}>
        {(at) => (
          <>
            {t.passkeys.lastUsed} <Age at={at()} />.
          </>
        )}
      </Show>
    </small>
  </span>
);

function Rename(props: { passkey: Passkey; renew(): Promise<void>; onClose(): void }) {
  const [name, setName] = createSignal(props.passkey.name);
  const [busy, setBusy] = createSignal(false);
  const save = async () => {
    setBusy(true);
    const params = { passkeyId: props.passkey.id };
    const isSaved = await attempt(() =>
      api.call('PATCH /api/passkeys/:passkeyId', { params, body: { name: name() } }),
    );
    setBusy(false);
    if (!isSaved) return false;
    say(t.passkeys.renamed);
    await props.renew();
    return true;
  };
  return (
    <FormDialog
      title={t.passkeys.renameTitle(props.passkey.name)}
      isBusy={busy()}
      submit={save}
      onClose={props.onClose}
    >
      <TextField label={t.passkeys.name} required autofocus value={name()} onInput={setName} />
    </FormDialog>
  );
}
