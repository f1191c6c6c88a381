/** One account at a provider, and its removal. */
import { createSignal } from 'solid-js';
import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { passkeysText } from '../../../text/passkeys-text.ts';
import { Age } from '../../../ui/age.tsx';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { identitiesText } from '../identities-text.ts';

type Answered = ReplyOf<'GET /api/identities'>;

interface IdentityProps {
  identity: Answered['identities'][number];
  ways: Answered['ways'];
  renew(): Promise<void>;
}

export function IdentityRow(props: IdentityProps) {
  const [asking, setAsking] = createSignal(false);
  const name = () => props.identity.name;
  const remaining = () => {
    const { passkeys, providers, hasOtherOwner } = props.ways;
    // Names of providers are not unique.
    const at = props.identity.isUsable ? providers.indexOf(name()) : -1;
    const others = providers.filter((_, index) => index !== at);
    const isLast = passkeys === 0 && others.length === 0;
    return isLast ? passkeysText.lastWay(hasOtherOwner) : identitiesText.left(passkeys, others);
  };
  const remove = async () => {
    const params = { identityId: props.identity.id };
    const isRemoved = await attempt(() => api.call('DELETE /api/identities/:identityId', { params }));
    if (isRemoved) say(identitiesText.removed(name()));
    await props.renew();
  };
  return (
    <li>
      <span>
        <strong>{name()}</strong>{' '}
        <Show when={!props.identity.isUsable}>
          <span class="tag waits">{identitiesText.unusable}</span>
        </Show>
        <small class="quiet-text">
          {passkeysText.addedAt} <Age at={props.identity.createdAt} />. {passkeysText.lastUsed}{' '}
          <Age at={props.identity.lastUsedAt} />.
        </small>
      </span>
      <div class="actions">
        <Button class="small" aria-label={identitiesText.removeLabel(name())} onClick={() => setAsking(true)}>
          {identitiesText.remove}
        </Button>
      </div>
      <Show when={asking()}>
        <Confirm
          title={identitiesText.removeTitle(name())}
          help={`${identitiesText.removeHelp} ${remaining()}`}
          submit={identitiesText.remove}
          danger
          onClose={() => setAsking(false)}
          onConfirm={() => void remove()}
        />
      </Show>
    </li>
  );
}
