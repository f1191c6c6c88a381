/** Shows the command that adds a host. */
import { createSignal } from 'solid-js';
import { operatorApi } from '../../api/operator.ts';
import { hostsText } from '../../text/operator-text.ts';
import { t } from '../../text/text.ts';
import { exactTime } from '../../ui/age.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Show } from '../../ui/show.ts';
import { attempt } from '../../ui/toasts.tsx';

export function AddHost(props: { onClose(): void }) {
  const [name, setName] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const [made, setMade] = createSignal<{ command: string; expiresAt: string; warning: string | null }>();
  const submit = async () => {
    setBusy(true);
    await attempt(async () => {
      const body = name().trim() === '' ? {} : { name: name().trim() };
      setMade(await operatorApi.call('POST /api/system/runners', { body }));
    });
    setBusy(false);
  };
  return (
    <Dialog title={hostsText.addTitle} onClose={props.onClose} wide>
      <Show
        when={made()}
        fallback={
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (!busy()) void submit();
            }}
          >
            <p>{hostsText.addHelp}</p>
            <label>
              <span>{hostsText.name}</span>
              <input
                type="text"
                autofocus
                autocomplete="off"
                value={name()}
                onInput={(event) => setName(event.currentTarget.value)}
              />
            </label>
            <footer class="actions end">
              <Button onClick={props.onClose}>{t.cancel}</Button>
              <Button kind="primary" type="submit" busy={busy()}>
                {hostsText.addSubmit}
              </Button>
            </footer>
          </form>
        }
      >
        {(answer) => (
          <div class="stack">
            <h3>{hostsText.command}</h3>
            <Show when={answer().warning}>{(warning) => <p class="warning">{warning()}</p>}</Show>
            <Copyable text={answer().command} what={hostsText.command} />
            <p class="quiet-text">{hostsText.commandUntil(exactTime(answer().expiresAt))}</p>
          </div>
        )}
      </Show>
    </Dialog>
  );
}
