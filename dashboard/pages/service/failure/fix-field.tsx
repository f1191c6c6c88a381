/** The change that mends a failure: the field of a variable or setting with a button that saves and applies it, or the button alone. */
import { useNavigate } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { api, sentenceOf } from '../../../api/client.ts';
import { renewService } from '../../../api/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Show } from '../../../ui/show.ts';
import { say } from '../../../ui/toasts.tsx';
import { settingLabel } from '../settings/setting-groups.ts';
import { type ActionOf, deployAgain, type Failed, isUnfinished, restartAgain } from './explained-failure.ts';
import { failureText } from './failure-text.ts';

export type Change = ActionOf<'set-variable' | 'setting'>;

interface FixFieldProps {
  failed: Failed;
  change: Change;
  apply: 'deploy' | 'restart' | 'none';
  isFirst: boolean;
}

export const nameOf = (change: Change): string =>
  change.kind === 'set-variable' ? change.key : settingLabel(change.field);

export function FixField(props: FixFieldProps) {
  const navigate = useNavigate();
  const [value, setValue] = createSignal('');
  const [failure, setFailure] = createSignal<string>();
  const [busy, setBusy] = createSignal(false);
  const change = () => props.change;
  const isAsked = () =>
    change().kind === 'set-variable'
      ? change().value === null || isUnfinished(change().value)
      : isUnfinished(change().value);
  const params = () => ({ serviceId: props.failed.serviceId });

  const save = async () => {
    const wanted = isAsked() ? value() : change().value;
    const one = change();
    if (one.kind === 'set-variable') {
      const body = { key: one.key, value: String(wanted ?? '') };
      await api.call('POST /api/services/:serviceId/env', { params: params(), body });
    } else {
      await api.call('PATCH /api/services/:serviceId', {
        params: params(),
        body: { [one.field]: wanted },
      });
    }
  };
  const apply = async () => {
    if (props.apply === 'none') return say(failureText.saved);
    const id = await (props.apply === 'deploy' ? deployAgain : restartAgain)(props.failed);
    navigate(`/deployments/${id}`);
  };
  const run = async () => {
    if (busy()) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await save();
      await apply();
    } catch (error) {
      setFailure(sentenceOf(error));
    }
    setBusy(false);
    await renewService(props.failed.serviceId);
  };
  const kind = () => (props.isFirst ? 'primary' : 'plain');
  const label = () => {
    const rest = failureText.applyDirectly[props.apply];
    const { value: proposal } = change();
    return proposal === null
      ? `${failureText.clear(nameOf(change()))}${rest}`
      : `${failureText.setTo(nameOf(change()), String(proposal))}${rest}`;
  };
  return (
    <Show
      when={isAsked()}
      fallback={
        <div class="fix-direct">
          <Button kind={kind()} busy={busy()} onClick={() => void run()}>
            {label()}
          </Button>
          <Show when={failure()}>
            {(why) => (
              <p class="field-failure" role="alert">
                {why()}
              </p>
            )}
          </Show>
        </div>
      }
    >
      <form
        class="fix-field"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <TextField
          label={failureText.set(nameOf(change()))}
          value={value()}
          required
          mono
          type={isSecret(change()) ? 'password' : 'text'}
          placeholder={isUnfinished(change().value) ? String(change().value) : ''}
          failure={failure()}
          onInput={setValue}
        />
        <Button type="submit" kind={kind()} busy={busy()}>
          {failureText.apply[props.apply]}
        </Button>
      </form>
    </Show>
  );
}

const isSecret = (change: Change) => change.kind === 'setting' && change.field === 'gitToken';
