/** Creates or changes a schedule. The meaning of the expression is shown while the user types. */
import { createSignal, For } from 'solid-js';
import { createStore } from 'solid-js/store';
import { api } from '../../../api/client.ts';
import { variablesText } from '../../../text/service-text.ts';
import { Button } from '../../../ui/button.tsx';
import { ChoiceField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { ownZone, todaysZone, zonesToChoose } from '../../../ui/time-zones.ts';
import { say } from '../../../ui/toasts.tsx';
import { commandsText } from './commands-text.ts';
import { ContainerField } from './container-field.tsx';
import { renewCommands, type Schedule } from './run-queries.ts';
import { limitText, TimeLimitField } from './time-limit-field.tsx';
import { TimePreview } from './time-preview.tsx';

interface EditScheduleProps {
  serviceId: string;
  /** Undefined: a new one. */
  schedule: Schedule | undefined;
  onClose(): void;
}

const fields = ['name', 'cron', 'timeZone', 'command', 'timeLimitSeconds', 'container', 'overlap'];
const rules = Object.keys(commandsText.overlapChoices) as Schedule['overlap'][];

export function EditSchedule(props: EditScheduleProps) {
  const { schedule } = props;
  const [draft, setDraft] = createStore({
    name: schedule?.name ?? '',
    cron: schedule?.cron ?? '',
    timeZone: schedule ? todaysZone(schedule.timeZone) : ownZone,
    command: schedule?.command ?? '',
    container: schedule?.container ?? ('new' as const),
    overlap: schedule?.overlap ?? ('skip' as const),
  });
  const [limit, setLimit] = createSignal(limitText(schedule?.timeLimitSeconds));
  const { isBusy, failureAt, save } = createSaving((name) => fields.includes(name));
  const zones = zonesToChoose(draft.timeZone);
  const body = () => ({ ...draft, timeLimitSeconds: Number(limit()) });
  const send = () =>
    schedule
      ? api.call('PATCH /api/services/:serviceId/schedules/:scheduleId', {
          params: { serviceId: props.serviceId, scheduleId: schedule.id },
          body: body(),
        })
      : api.call('POST /api/services/:serviceId/schedules', {
          params: { serviceId: props.serviceId },
          body: body(),
        });
  const submit = () =>
    save(async () => {
      say(commandsText.saved((await send()).schedule.name));
      await renewCommands(props.serviceId);
    });
  return (
    <FormDialog
      title={schedule ? variablesText.edit(schedule.name) : commandsText.add}
      wide
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <TextField
        label={commandsText.name}
        required
        autofocus
        failure={failureAt('name')}
        value={draft.name}
        onInput={(name) => setDraft('name', name)}
      />
      <TextField
        label={commandsText.command}
        help={commandsText.commandHelp}
        mono
        required
        rows={2}
        placeholder="npm run report"
        failure={failureAt('command')}
        value={draft.command}
        onInput={(command) => setDraft('command', command)}
      />
      <TextField
        label={commandsText.cron}
        help={commandsText.cronHelp}
        mono
        required
        placeholder="0 3 * * 1-5"
        failure={failureAt('cron')}
        value={draft.cron}
        onInput={(cron) => setDraft('cron', cron)}
      />
      <fieldset class="actions presets">
        <legend class="visually-hidden">{commandsText.usual}</legend>
        <For each={commandsText.presets}>
          {([label, cron]) => (
            <Button
              kind="quiet"
              class="small"
              aria-pressed={draft.cron === cron}
              onClick={() => setDraft('cron', cron)}
            >
              {label}
            </Button>
          )}
        </For>
      </fieldset>
      <TimePreview cron={draft.cron} timeZone={draft.timeZone} />
      <ChoiceField
        label={commandsText.timeZone}
        failure={failureAt('timeZone')}
        choices={zones.map((value) => ({ value, text: value.replaceAll('_', ' ') }))}
        value={draft.timeZone}
        onInput={(timeZone) => setDraft('timeZone', timeZone)}
      />
      <ContainerField
        failure={failureAt('container')}
        value={draft.container}
        onInput={(container) => setDraft('container', container)}
      />
      <div class="field-grid">
        <ChoiceField
          label={commandsText.overlap}
          failure={failureAt('overlap')}
          choices={rules.map((value) => ({ value, text: commandsText.overlapChoices[value] }))}
          value={draft.overlap}
          onInput={(text) => setDraft('overlap', rules.find((one) => one === text) ?? 'skip')}
        />
        <TimeLimitField failure={failureAt('timeLimitSeconds')} value={limit()} onInput={setLimit} />
      </div>
    </FormDialog>
  );
}
