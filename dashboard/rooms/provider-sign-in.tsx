/** Sign-in at an identity provider: the buttons of the sign-in page, and the page to which providers send the browser back. */
import { useLocation, useNavigate } from '@solidjs/router';
import { createResource, createSignal, For, onMount, Show } from 'solid-js';
import { sentenceOf } from '../api/client.ts';
import { finishSignIn, type SignInProvider, signInAt, signInProviders } from '../api/provider-sign-in.ts';
import { queries } from '../api/query-client.ts';
import { t } from '../text/text.ts';
import { Button } from '../ui/button.tsx';

/** @param props.to where the person wanted to go */
export function ProviderButtons(props: { to: string }) {
  const navigate = useNavigate();
  // Without the list, the key still signs in.
  const [providers] = createResource(() => signInProviders().catch((): SignInProvider[] => []));
  const usable = () => (providers() ?? []).filter(({ available }) => available);
  const [failure, setFailure] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const go = async (provider: SignInProvider) => {
    setBusy(true);
    setFailure('');
    try {
      if (!(await signInAt(provider, props.to))) return;
      queries.clear();
      navigate(props.to, { replace: true });
    } catch (error) {
      setFailure(sentenceOf(error));
      setBusy(false);
    }
  };
  return (
    <Show when={usable().length > 0}>
      <section class="sign-in-providers" aria-label={t.signIn.providers}>
        <For each={usable()}>
          {(provider) => (
            <Button busy={busy()} onClick={() => void go(provider)}>
              {t.signIn.at(provider.name)}
            </Button>
          )}
        </For>
        <p class="field-failure" role="alert">
          {failure()}
        </p>
      </section>
    </Show>
  );
}

export function SignInCallback() {
  const navigate = useNavigate();
  const { search } = useLocation();
  const [failure, setFailure] = createSignal('');
  async function finish(): Promise<void> {
    try {
      const to = await finishSignIn(search.slice(1));
      if (to === undefined) {
        setFailure(t.signIn.notHere);
        return;
      }
      queries.clear();
      navigate(to, { replace: true });
    } catch (error) {
      setFailure(sentenceOf(error));
    }
  }
  onMount(() => {
    // The code leaves the address bar and the history.
    history.replaceState(history.state, '', location.pathname);
    void finish();
  });
  return (
    <div class="sign-in">
      <img src="/dashboard/icon.svg" alt="" width="48" height="48" />
      <h1>{failure() === '' ? t.signIn.working : t.signIn.notSignedIn}</h1>
      <p class="field-failure" role="alert">
        {failure()}
      </p>
      <Show when={failure() !== ''}>
        <a href="/sign-in">{t.signIn.again}</a>
      </Show>
    </div>
  );
}
