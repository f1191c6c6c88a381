/**
 * Sign-in by a key, or by a link whose code follows `#`: browsers never send that part, so previews of the link use nothing up. A second code,
 * after a comma, signs in as the operator too.
 */
import { useNavigate, useSearchParams } from '@solidjs/router';
import { createSignal, onMount } from 'solid-js';
import { LongshoreError } from '../../client/client.ts';
import { sentenceOf } from '../api/client.ts';
import { signInAsOperator } from '../api/operator.ts';
import { queries } from '../api/query-client.ts';
import { signIn } from '../api/session.ts';
import { t } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Show } from '../ui/show.ts';
import { attempt } from '../ui/toasts.tsx';
import { OtherWays } from './provider-sign-in.tsx';

export function SignIn() {
  const [code, setCode] = createSignal('');
  const [search] = useSearchParams<{ to?: string }>();
  onMount(() => {
    const found = location.hash.slice(1);
    if (!found.startsWith('lsk_')) return;
    setCode(found);
    // The code leaves the address bar and the history.
    history.replaceState(history.state, '', location.pathname + location.search);
  });
  return (
    <div class="sign-in">
      <img src="/dashboard/icon.svg" alt="" width="48" height="48" />
      <Show when={code() !== ''} fallback={<KeyForm />}>
        <LinkForm code={code()} onFailed={() => setCode('')} />
      </Show>
      <Show when={code() === ''}>
        <OtherWays to={inside(search.to)} />
      </Show>
    </div>
  );
}

function useSignIn() {
  const navigate = useNavigate();
  const [search] = useSearchParams<{ to?: string }>();
  const [failure, setFailure] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const submit = async (credential: string, refused: string) => {
    setBusy(true);
    setFailure('');
    try {
      const [own = '', ofOperator] = credential.split(',');
      await signIn(own);
      if (ofOperator) await attempt(() => signInAsOperator(ofOperator));
      queries.clear();
      navigate(inside(search.to), { replace: true });
    } catch (error) {
      setFailure(error instanceof LongshoreError && error.status === 401 ? refused : sentenceOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { submit, failure, busy };
}

/** Only pages of the dashboard: a link must not send a signed-in person elsewhere. */
const inside = (path: string | undefined) => (path && /^\/[a-z]/.test(path) ? path : '/');

function KeyForm() {
  const { submit, failure, busy } = useSignIn();
  const [key, setKey] = createSignal('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy()) void submit(key().trim(), t.signIn.failed);
      }}
    >
      <h1>{t.signIn.title}</h1>
      <label>
        <span>{t.signIn.key}</span>
        <input
          type="password"
          name="key"
          required
          autofocus
          autocomplete="current-password"
          spellcheck={false}
          placeholder={t.signIn.placeholder}
          aria-describedby="key-help"
          value={key()}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
      </label>
      <p id="key-help" class="quiet-text">
        {t.signIn.help}
      </p>
      <p class="field-failure" role="alert">
        {failure()}
      </p>
      <Button kind="primary" type="submit" busy={busy()}>
        {busy() ? t.signIn.working : t.signIn.submit}
      </Button>
      <p class="quiet-text">{t.signIn.where}</p>
    </form>
  );
}

function LinkForm(props: { code: string; onFailed(): void }) {
  const { submit, failure, busy } = useSignIn();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy()) void submit(props.code, t.signIn.linkFailed);
      }}
    >
      <h1>{t.signIn.linkTitle}</h1>
      <p>{t.signIn.linkHelp}</p>
      <p class="field-failure" role="alert">
        {failure()}
      </p>
      <Button kind="primary" type="submit" autofocus busy={busy()}>
        {t.signIn.linkSubmit}
      </Button>
      <Show when={failure() !== ''}>
        <Button onClick={props.onFailed}>{t.signIn.title}</Button>
      </Show>
    </form>
  );
}
