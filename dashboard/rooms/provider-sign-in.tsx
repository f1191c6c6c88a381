/** Sign-in by a passkey and at an identity provider: the buttons of the sign-in page. */
import { useNavigate } from '@solidjs/router';
import { createResource, createSignal, For } from 'solid-js';
import { sentenceOf } from '../api/client.ts';
import { hasPasskeys, signInByPasskey } from '../api/passkeys.ts';
import { type SignInWays, signInAt, signInWays } from '../api/provider-sign-in.ts';
import { queries } from '../api/query-client.ts';
import { t } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { KeyIcon } from '../ui/icons.tsx';
import { LocalAddress } from '../ui/local-address.tsx';
import { Show } from '../ui/show.ts';

const none: SignInWays = { providers: [], passkeys: 'none' };

/** @param props.to where the person wanted to go */
export function OtherWays(props: { to: string }) {
  const navigate = useNavigate();
  // Without the list, the key still signs in.
  const [ways] = createResource(() => signInWays().catch(() => none));
  const usable = () => (ways() ?? none).providers.filter(({ available }) => available);
  const passkeys = () => (ways() ?? none).passkeys;
  const takesPasskeys = () => passkeys() === 'here' && hasPasskeys();
  const [failure, setFailure] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  /** @param sign gives false where the browser leaves for a provider */
  const go = async (sign: () => Promise<boolean>) => {
    setBusy(true);
    setFailure('');
    try {
      if (!(await sign())) return;
      queries.clear();
      navigate(props.to, { replace: true });
    } catch (error) {
      setFailure(sentenceOf(error));
      setBusy(false);
    }
  };
  const byPasskey = async () => {
    await signInByPasskey();
    return true;
  };
  return (
    <Show when={usable().length > 0 || passkeys() !== 'none'}>
      <section class="sign-in-providers" aria-label={t.signIn.otherWays}>
        <Show when={takesPasskeys()}>
          <Button icon={KeyIcon} busy={busy()} onClick={() => void go(byPasskey)}>
            {t.passkeys.signIn}
          </Button>
        </Show>
        <For each={usable()}>
          {(provider) => (
            <Button busy={busy()} onClick={() => void go(() => signInAt(provider, props.to))}>
              {t.signIn.at(provider.name)}
            </Button>
          )}
        </For>
        <Show when={passkeys() !== 'none' && !takesPasskeys()}>
          <p class="quiet-text">
            {t.passkeys.elsewhere} <LocalAddress />
          </p>
        </Show>
        <p class="field-failure" role="alert">
          {failure()}
        </p>
      </section>
    </Show>
  );
}
