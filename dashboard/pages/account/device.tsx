/**
 * A member allows a command line to sign in. The command line opens this page with its code after `#`, which browsers do not send. The code is only
 * filled in: the person compares it and continues, and sees which device asks before it is allowed.
 */
import { useLocation, useNavigate } from '@solidjs/router';
import { createSignal, Match, onMount, Switch } from 'solid-js';
import type { ReplyOf } from '../../../client/client.ts';
import { api, sentenceOf } from '../../api/client.ts';
import { type OwnKey, useKey } from '../../api/queries.ts';
import { signOutHere } from '../../api/sign-out.ts';
import { useTitle } from '../../shell/title.ts';
import { membersText } from '../../text/members-text.ts';
import { Age } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Show } from '../../ui/show.ts';
import { deviceText } from './device-text.ts';

type Asking = ReplyOf<'POST /api/sign-in/device/find'>['device'];
type Member = NonNullable<OwnKey['member']>;

export function Device() {
  useTitle(() => deviceText.title);
  const key = useKey();
  const navigate = useNavigate();
  const { hash, pathname } = useLocation();
  const found = /^#[A-Za-z-]{8,9}$/.test(hash) ? hash.slice(1).toUpperCase() : '';
  // Remove the code from the address bar and the history.
  onMount(() => found && navigate(pathname, { replace: true }));
  return (
    <div class="narrow stack">
      <h1>{deviceText.title}</h1>
      <Answer query={key} lines={3}>
        {(own) => (
          <Show when={own().member} fallback={<NeedsMember />}>
            {(member) => <Decision member={member()} found={found} />}
          </Show>
        )}
      </Answer>
    </div>
  );
}

function NeedsMember() {
  return (
    <section class="panel">
      <p>{deviceText.needsMember}</p>
      <div class="actions">
        <Button onClick={() => void signOutHere()}>{deviceText.signOut}</Button>
      </div>
    </section>
  );
}

function Decision(props: { member: Member; found: string }) {
  const [code, setCode] = createSignal(props.found);
  const [asking, setAsking] = createSignal<Asking>();
  const [decided, setDecided] = createSignal<'allowed' | 'denied'>();
  const [failure, setFailure] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const go = async (step: () => Promise<unknown>) => {
    if (busy()) return;
    setBusy(true);
    setFailure('');
    await step().catch((error: unknown) => {
      setAsking(undefined);
      setFailure(sentenceOf(error));
    });
    setBusy(false);
  };
  const find = () =>
    go(async () => {
      setAsking((await api.call('POST /api/sign-in/device/find', { body: { userCode: code() } })).device);
    });
  const allow = () =>
    go(async () => {
      await api.call('POST /api/sign-in/device/allow', { body: { userCode: code() } });
      setDecided('allowed');
    });
  const deny = () =>
    go(async () => {
      await api.call('POST /api/sign-in/device/deny', { body: { userCode: code() } });
      setDecided('denied');
    });
  const again = () => {
    setCode('');
    setAsking(undefined);
    setDecided(undefined);
  };
  return (
    <Switch
      fallback={
        <form
          class="panel"
          onSubmit={(event) => {
            event.preventDefault();
            void find();
          }}
        >
          <div class="field">
            <label for="device-code">{deviceText.code}</label>
            <input
              id="device-code"
              required
              autofocus
              autocomplete="off"
              autocapitalize="characters"
              spellcheck={false}
              maxlength="40"
              placeholder={deviceText.placeholder}
              aria-describedby="device-code-help device-code-failure"
              aria-invalid={failure() !== '' ? 'true' : undefined}
              value={code()}
              onInput={(event) => setCode(event.currentTarget.value)}
            />
            <small id="device-code-help" class="quiet-text">
              {props.found !== '' && code() === props.found ? deviceText.prefilled : deviceText.help}
            </small>
            <p id="device-code-failure" class="field-failure" role="alert">
              {failure()}
            </p>
          </div>
          <div class="actions">
            <Button kind="primary" type="submit" busy={busy()}>
              {deviceText.next}
            </Button>
          </div>
        </form>
      }
    >
      <Match when={decided()}>
        {(decision) => (
          <section class="panel" role="status">
            <h2>{deviceText[decision()]}</h2>
            <p>{decision() === 'allowed' ? deviceText.allowedHelp : deviceText.deniedHelp}</p>
            <div class="actions">
              <Button onClick={again}>{deviceText.another}</Button>
            </div>
          </section>
        )}
      </Match>
      <Match when={asking()}>
        {(one) => (
          <section class="panel">
            <h2>{deviceText.asks(one().name)}</h2>
            <Facts asking={one()} code={code()} member={props.member} />
            <p>{deviceText.rights}</p>
            <p role="alert">{deviceText.warning}</p>
            <div class="actions">
              <Button kind="primary" busy={busy()} onClick={() => void allow()}>
                {deviceText.allow}
              </Button>
              <Button busy={busy()} onClick={() => void deny()}>
                {deviceText.deny}
              </Button>
            </div>
          </section>
        )}
      </Match>
    </Switch>
  );
}

function Facts(props: { asking: Asking; code: string; member: Member }) {
  const letters = () => props.code.toUpperCase().replace(/[\s-]/g, '');
  return (
    <dl class="facts">
      <div>
        <dt>{deviceText.shows}</dt>
        <dd>
          <strong>{`${letters().slice(0, 4)}-${letters().slice(4)}`}</strong>
        </dd>
      </div>
      <div>
        <dt>{deviceText.name}</dt>
        <dd>{props.asking.name}</dd>
      </div>
      <div>
        <dt>{deviceText.version}</dt>
        <dd>longshore {props.asking.version}</dd>
      </div>
      <div>
        <dt>{deviceText.address}</dt>
        <dd>{props.asking.address}</dd>
      </div>
      <div>
        <dt>{deviceText.asked}</dt>
        <dd>
          <Age at={props.asking.askedAt} />
        </dd>
      </div>
      <div>
        <dt>{deviceText.actsAs}</dt>
        <dd>{deviceText.role(props.member.email, membersText.short[props.member.role])}</dd>
      </div>
    </dl>
  );
}
