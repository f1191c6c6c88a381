/** The page to which providers send the browser back: it finishes the sign-in that this tab has started. */
import { useLocation, useNavigate } from '@solidjs/router';
import { createSignal, onMount } from 'solid-js';
import { sentenceOf } from '../../api/client.ts';
import { finishAtProvider, startedHere } from '../../api/provider-sign-in.ts';
import { queries } from '../../api/query-client.ts';
import { Show } from '../../ui/show.ts';
import { say } from '../../ui/toasts.tsx';
import { identitiesText } from './identities-text.ts';
import { signInText } from './sign-in-text.ts';

export function SignInCallback() {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const response = search.slice(1);
  const started = startedHere(response);
  const [failure, setFailure] = createSignal(started ? '' : signInText.notHere);
  async function finish(): Promise<void> {
    if (!started) return;
    try {
      await finishAtProvider(started, pathname, response);
      if (started.adds) say(identitiesText.added);
      queries.clear();
      navigate(started.to, { replace: true });
    } catch (error) {
      setFailure(sentenceOf(error));
    }
  }
  onMount(() => {
    // Remove the code from the address bar and the history.
    history.replaceState(history.state, '', location.pathname);
    void finish();
  });
  const title = () => {
    if (failure() === '') return started?.adds ? identitiesText.adding : signInText.working;
    return started?.adds ? identitiesText.notAdded : signInText.notSignedIn;
  };
  return (
    <div class="sign-in">
      <img src="/dashboard/icon.svg" alt="" width="48" height="48" />
      <h1>{title()}</h1>
      <p class="field-failure" role="alert">
        {failure()}
      </p>
      <Show when={failure() !== ''}>
        <a href={started?.adds ? started.to : '/sign-in'}>
          {started?.adds ? identitiesText.again : signInText.again}
        </a>
      </Show>
    </div>
  );
}
