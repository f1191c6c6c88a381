/** Sign-in at an identity provider and by a passkey: buttons of the sign-in page, in this order. */
import { For } from 'solid-js';
import { hasPasskeys, signInByPasskey } from '../../api/passkeys.ts';
import { type SignInWays, signInAt } from '../../api/provider-sign-in.ts';
import { passkeysText } from '../../text/passkeys-text.ts';
import { Button } from '../../ui/button.tsx';
import { KeyIcon } from '../../ui/icons.tsx';
import { LocalAddress } from '../../ui/local-address.tsx';
import { Show } from '../../ui/show.ts';
import { signInText } from './sign-in-text.ts';
import type { SigningIn } from './use-sign-in.ts';

interface OtherWaysProps {
  /** The page that the user wanted. */
  to: string;
  ways: SignInWays;
  signing: SigningIn;
}

export function OtherWays(props: OtherWaysProps) {
  const usable = () => props.ways.providers.filter(({ available }) => available);
  const takesPasskeys = () => props.ways.passkeys === 'here' && hasPasskeys();
  const busy = () => props.signing.busy();
  const byPasskey = async () => {
    await signInByPasskey();
    return true;
  };
  return (
    <Show when={usable().length > 0 || props.ways.passkeys !== 'none'}>
      <section class="sign-in-providers" aria-label={signInText.otherWays}>
        <For each={usable()}>
          {(provider) => (
            <Button busy={busy()} onClick={() => void props.signing.go(() => signInAt(provider, props.to))}>
              {signInText.at(provider.name)}
            </Button>
          )}
        </For>
        <Show
          when={takesPasskeys()}
          fallback={
            <Show when={props.ways.passkeys !== 'none'}>
              <p class="quiet-text">
                {passkeysText.elsewhere} <LocalAddress />
              </p>
            </Show>
          }
        >
          <Button icon={KeyIcon} busy={busy()} onClick={() => void props.signing.go(byPasskey)}>
            {passkeysText.signIn}
          </Button>
        </Show>
        <p class="field-failure" role="alert">
          {props.signing.failure()}
        </p>
      </section>
    </Show>
  );
}
