/** The operator's sign-in: with the token, or with a link whose code follows `#` (rooms/sign-in). */
import { createSignal } from 'solid-js';
import { LongshoreError } from '../../../client/client.ts';
import { sentenceOf } from '../../api/client.ts';
import { signInAsOperator } from '../../api/operator.ts';
import { operatorText } from '../../text/operator-text.ts';
import { Button } from '../../ui/button.tsx';
import { Show } from '../../ui/show.ts';
import { useCodeInAddress } from '../account/code-in-address.ts';

export function OperatorSignIn() {
  const [code, setCode] = useCodeInAddress();
  const [token, setToken] = createSignal('');
  const [failure, setFailure] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const submit = async () => {
    const refused = code() ? operatorText.linkFailed : operatorText.failed;
    setBusy(true);
    setFailure('');
    try {
      await signInAsOperator(code() || token().trim());
    } catch (error) {
      const isRefused = error instanceof LongshoreError && (error.status === 401 || error.status === 403);
      setFailure(isRefused ? refused : sentenceOf(error));
      setCode('');
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="sign-in">
      <img src="/dashboard/icon.svg" alt="" width="48" height="48" />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy()) void submit();
        }}
      >
        <h1>{code() ? operatorText.linkTitle : operatorText.signIn}</h1>
        <p class="quiet-text">{operatorText.signInHelp}</p>
        <Show when={!code()}>
          <label>
            <span>{operatorText.token}</span>
            <input
              type="password"
              name="operator-token"
              required
              autofocus
              autocomplete="current-password"
              spellcheck={false}
              aria-describedby="operator-token-help"
              value={token()}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
          </label>
        </Show>
        <p class="field-failure" role="alert">
          {failure()}
        </p>
        <Button kind="primary" type="submit" busy={busy()}>
          {busy() ? operatorText.working : operatorText.submit}
        </Button>
        <p id="operator-token-help" class="quiet-text">
          {operatorText.tokenWhere}
        </p>
      </form>
    </div>
  );
}
