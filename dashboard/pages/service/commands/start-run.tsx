/** Runs a command once, as a line for the shell of the live image, and opens its log. */
import { useNavigate } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { t } from '../../../text/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { commandsText } from './commands-text.ts';
import { ContainerField } from './container-field.tsx';
import { type Run, renewCommands } from './run-queries.ts';
import { limitText, TimeLimitField } from './time-limit-field.tsx';

interface StartRunProps {
  serviceId: string;
  /** Initial values of the fields, for example of a command that is run again. */
  command?: string;
  timeLimitSeconds?: number;
  container?: Run['container'];
  onClose(): void;
}

const fields = ['command', 'timeLimitSeconds', 'container'];

export function StartRun(props: StartRunProps) {
  const navigate = useNavigate();
  const [command, setCommand] = createSignal(props.command ?? '');
  const [limit, setLimit] = createSignal(limitText(props.timeLimitSeconds));
  const [container, setContainer] = createSignal(props.container ?? 'new');
  const { isBusy, failureAt, save } = createSaving((name) => fields.includes(name));
  const submit = () =>
    save(async () => {
      const params = { serviceId: props.serviceId };
      const body = { command: command(), timeLimitSeconds: Number(limit()), container: container() };
      const { run } = await api.call('POST /api/services/:serviceId/run', { params, body });
      props.onClose();
      navigate(`/services/${props.serviceId}/commands/${run.id}`);
      await renewCommands(props.serviceId);
    });
  return (
    <Dialog title={commandsText.runOnce} wide onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p class="quiet-text">{commandsText.runHelp}</p>
        <TextField
          label={commandsText.command}
          help={commandsText.commandHelp}
          mono
          required
          autofocus
          rows={3}
          placeholder="npm run migrate"
          failure={failureAt('command')}
          value={command()}
          onInput={setCommand}
        />
        <ContainerField failure={failureAt('container')} value={container()} onInput={setContainer} />
        <TimeLimitField failure={failureAt('timeLimitSeconds')} value={limit()} onInput={setLimit} />
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" busy={isBusy()}>
            {commandsText.start}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
