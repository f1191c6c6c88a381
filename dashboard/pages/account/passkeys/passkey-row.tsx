/** One passkey and its actions. */
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { type OtherWays, type Passkey, removePasskey } from '../../../api/passkeys.ts';
import { passkeysText } from '../../../text/passkeys-text.ts';
import { Age } from '../../../ui/age.tsx';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';

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
    return isLast ? passkeysText.lastWay(hasOtherOwner) : passkeysText.left(props.others, providers);
  };
  const remove = async () => {
    if (await attempt(() => removePasskey(props.passkey))) say(passkeysText.removed);
    await props.renew();
  };
  return (
    <li>
      <PasskeyFacts passkey={props.passkey} />
      <div class="actions">
        <Button
          class="small"
          aria-label={passkeysText.renameLabel(name())}
          onClick={() => setAsking('rename')}
        >
          {passkeysText.rename}
        </Button>
        <Button
          class="small"
          aria-label={passkeysText.removeLabel(name())}
          onClick={() => setAsking('remove')}
        >
          {passkeysText.remove}
        </Button>
      </div>
      <Show when={asking() === 'rename'}>
        <Rename passkey={props.passkey} renew={props.renew} onClose={close} />
      </Show>
      <Show when={asking() === 'remove'}>
        <Confirm
          title={passkeysText.removeTitle(name())}
          help={`${passkeysText.removeHelp} ${remaining()}`}
          submit={passkeysText.remove}
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
      <span class="tag">{passkeysText.synced}</span>{' '}
    </Show>
    <Show when={props.passkey.rpId !== location.hostname}>
      <span class="tag">{passkeysText.at(props.passkey.rpId)}</span>
    </Show>
    <small class="quiet-text">
      {passkeysText.addedAt} <Age at={props.passkey.createdAt} />.{' '}
      <Show when={props.passkey.lastUsedAt} fallback={`${passkeysText.unused}.`}>
        {(at) => (
          <>
            {passkeysText.lastUsed} <Age at={at()} />.
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
    say(passkeysText.renamed);
    await props.renew();
    return true;
  };
  return (
    <FormDialog
      title={passkeysText.renameTitle(props.passkey.name)}
      isBusy={busy()}
      submit={save}
      onClose={props.onClose}
    >
      <TextField label={passkeysText.name} required autofocus value={name()} onInput={setName} />
    </FormDialog>
  );
}
