/**
 * Sign-in: at providers, by a passkey, by a key, or by a link. The code of a link follows `#`: browsers never send that part, so previews of the
 * link do not use it up. A second code, after a comma, signs in as the operator too.
 */
import { useSearchParams } from '@solidjs/router';
import { createResource, createSignal, onCleanup, onMount } from 'solid-js';
import { LongshoreError } from '../../../client/client.ts';
import { sentenceOf } from '../../api/client.ts';
import { signInAsOperator } from '../../api/operator.ts';
import { signInByAutofill } from '../../api/passkey-autofill.ts';
import { type SignInWays, signInWays } from '../../api/provider-sign-in.ts';
import { isSignedIn, signIn, signInTarget } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Show } from '../../ui/show.ts';
import { attempt } from '../../ui/toasts.tsx';
import { useCodeInAddress } from './code-in-address.ts';
import { OtherWays } from './provider-sign-in.tsx';
import { signInText } from './sign-in-text.ts';
import { type SigningIn, useSignIn } from './use-sign-in.ts';

export function SignIn() {
  const [code, setCode] = useCodeInAddress();
  return (
    <div class="sign-in">
      <img src="/dashboard/icon.svg" alt="" width="48" height="48" />
      <Show when={code() !== ''} fallback={<Ways />}>
        <LinkForm code={code()} onFailed={() => setCode('')} />
      </Show>
    </div>
  );
}

/** Only pages of the dashboard: a link must not redirect a signed-in user elsewhere. */
const inside = (path: string | undefined) => (path && /^\/[a-z]/.test(path) ? path : '/');

const useTarget = () => {
  const [search] = useSearchParams<{ to?: string }>();
  return () => inside(search.to);
};

/** After this time, only the field for the key is shown. */
const waysWithinMs = 5_000;
const none: SignInWays = { providers: [], passkeys: 'none' };

/** Providers first, then passkeys, then keys. They appear together, so that nothing moves under the pointer. */
function Ways() {
  const target = useTarget();
  // Without the list, signing in with the key still works.
  const [ways] = createResource(() => signInWays(AbortSignal.timeout(waysWithinMs)).catch(() => none));
  let offer = new AbortController();
  const others = useSignIn(target, { starts: () => offer.abort(), fails: () => void propose() });
  const byKey = useSignIn(target, { starts: () => offer.abort(), fails: () => void propose() });
  /** Offers passkeys in the field of the key, until another way is started. */
  async function propose(): Promise<void> {
    if (ways.latest?.passkeys !== 'here') return;
    offer = new AbortController();
    const { signal } = offer;
    await others.wait(() => signInByAutofill(signal));
  }
  onCleanup(() => offer.abort());
  return (
    <>
      <h1>{signInText.title}</h1>
      <Show when={!ways.loading && ways.latest}>
        {(all) => (
          <>
            <OtherWays to={target()} ways={all()} signing={others} />
            <KeyForm signing={byKey} onShown={() => void propose()} />
          </>
        )}
      </Show>
    </>
  );
}

const refusal = (sentence: string) => (error: unknown) =>
  error instanceof LongshoreError && error.status === 401 ? sentence : undefined;

async function byCode(credential: string): Promise<boolean> {
  const [own = '', ofOperator] = credential.split(',');
  await signIn(own);
  if (ofOperator) await attempt(() => signInAsOperator(ofOperator));
  return true;
}

function KeyForm(props: { signing: SigningIn; onShown(): void }) {
  const [key, setKey] = createSignal('');
  onMount(props.onShown);
  const { busy, failure } = props.signing;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy()) void props.signing.go(() => byCode(key().trim()), refusal(signInText.failed));
      }}
    >
      <label>
        <span>{signInText.key}</span>
        <input
          type="password"
          name="key"
          required
          autofocus
          autocomplete="current-password webauthn"
          spellcheck={false}
          placeholder={signInText.placeholder}
          aria-describedby="key-help"
          value={key()}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
      </label>
      <p id="key-help" class="quiet-text">
        {signInText.help}
      </p>
      <p class="field-failure" role="alert">
        {failure()}
      </p>
      <Button kind="primary" type="submit" busy={busy()}>
        {busy() ? signInText.working : signInText.submit}
      </Button>
      <p class="quiet-text">{signInText.where}</p>
    </form>
  );
}

function LinkForm(props: { code: string; onFailed(): void }) {
  const { go, failure, busy } = useSignIn(useTarget());
  const [own = '', ofOperator] = props.code.split(',');
  const [shown] = createResource(() => signInTarget(own));
  const refused = () => {
    if (!shown.error) return '';
    return refusal(signInText.linkFailed)(shown.error) ?? sentenceOf(shown.error);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy() && shown.state === 'ready')
          void go(() => byCode(props.code), refusal(signInText.linkFailed));
      }}
    >
      <h1>{signInText.linkTitle}</h1>
      <Show when={!shown.error && shown()}>
        {(whose) => (
          <>
            <p>{signInText.linkFor(whose(), location.host)}</p>
            <Show when={ofOperator}>
              <p>{signInText.linkOfOperator}</p>
            </Show>
            <Show when={whose().linkedBy.length > 0}>
              <p>
                {signInText.linkBy(
                  whose()
                    .linkedBy.map(({ name }) => name)
                    .join(', '),
                )}
              </p>
            </Show>
            <p>{signInText.linkFromStranger}</p>
            <Show when={isSignedIn()}>
              <p role="alert">{signInText.linkReplaces}</p>
            </Show>
          </>
        )}
      </Show>
      <p class="quiet-text">{signInText.linkHelp}</p>
      <p class="field-failure" role="alert">
        {failure() || refused()}
      </p>
      <Show when={!shown.error && shown()}>
        <Button kind="primary" type="submit" autofocus busy={busy()}>
          {signInText.linkSubmit}
        </Button>
      </Show>
      <Show when={failure() !== '' || refused() !== ''}>
        <Button onClick={props.onFailed}>{signInText.title}</Button>
      </Show>
    </form>
  );
}
