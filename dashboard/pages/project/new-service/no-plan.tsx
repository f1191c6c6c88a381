/** The source could not be read: why, and the ways on. */
import { newServiceText as texts } from '../../../text/new-service-text.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Show } from '../../../ui/show.ts';
import type { Problem } from './plan-types.ts';

interface Props {
  problem: Problem;
  source: string;
  token: string;
  busy: boolean;
  onToken(token: string): void;
  onAgain(): void;
  onLeave(): void;
}

export function NoPlan(props: Props) {
  const wantsLogin = () => props.problem.reason === 'login';
  // The sentence of the API names routes and fields; here the ways are below it. The token was read with: typing the next one changes nothing.
  const { token } = props;
  const message = () =>
    wantsLogin() ? (token === '' ? texts.isPrivate : texts.tokenRefused) : props.problem.message;
  return (
    <form
      class="panel stack no-plan"
      onSubmit={(event) => {
        event.preventDefault();
        if (!props.busy) props.onAgain();
      }}
    >
      <h2>{props.source}</h2>
      <p role="alert">{message()}</p>
      <Show when={wantsLogin()}>
        <TextField
          label={texts.token}
          help={texts.tokenHelp}
          type="password"
          value={props.token}
          onInput={props.onToken}
        />
        <p>
          <a href="/credentials">{texts.credentials}</a>
        </p>
      </Show>
      <footer class="actions end">
        <Button onClick={props.onLeave}>{texts.another}</Button>
        <Button kind="primary" type="submit" busy={props.busy}>
          {texts.readAgain}
        </Button>
      </footer>
    </form>
  );
}
