/** Creates or changes a log drain. Its headers and secrets are never shown: they stay unless a new receiver is entered. */
import { createSignal } from 'solid-js';
import { createStore } from 'solid-js/store';
import { api } from '../../../api/client.ts';
import { drainsText } from '../../../text/drains-text.ts';
import { projectLogsText } from '../../../text/log-search-text.ts';
import { noticesText } from '../../../text/notices-text.ts';
import { variablesText } from '../../../text/service-text.ts';
import { CheckField, ChoiceField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { Show } from '../../../ui/show.ts';
import { say } from '../../../ui/toasts.tsx';
import { type LogDrain, renewDrains } from './drain-queries.ts';
import { newReceiver, receiverBody, wrongHeader } from './receiver-body.ts';
import { ReceiverFields } from './receiver-fields.tsx';

/** A secret that is shown once, to the user who created it. */
export interface MadeSecret {
  name: string;
  secret: string;
}

interface EditDrainProps {
  projectId: string;
  /** Undefined: a new one. */
  drain: LogDrain | undefined;
  onSecret(made: MadeSecret): void;
  onClose(): void;
}

type Level = NonNullable<LogDrain['level']>;
const levels = Object.keys(projectLogsText.levels) as Level[];
const levelChoices = [
  { value: '', text: drainsText.allLines },
  ...levels.map((value) => ({ value, text: drainsText.from(projectLogsText.levels[value]) })),
];

export function EditDrain(props: EditDrainProps) {
  const { drain } = props;
  const [name, setName] = createSignal(drain?.name ?? '');
  const [level, setLevel] = createSignal<Level | null>(drain?.level ?? null);
  const [isReplacing, setIsReplacing] = createSignal(drain === undefined);
  const [receiver, setReceiver] = createStore({ ...newReceiver });
  const { isBusy, failureAt, save } = createSaving((field) => /^(name|(http|otlp|syslog)\.)/.test(field));
  const [headerFailure, setHeaderFailure] = createSignal<string>();
  const shared = () => ({
    ...{ name: name(), level: level() },
    ...(isReplacing() ? receiverBody(receiver) : {}),
  });
  const send = () =>
    drain
      ? api.call('PATCH /api/log-drains/:logDrainId', { params: { logDrainId: drain.id }, body: shared() })
      : api.call('POST /api/projects/:projectId/log-drains', {
          params: { projectId: props.projectId },
          body: shared(),
        });
  const submit = async () => {
    const wrong = isReplacing() && receiver.kind !== 'syslog' ? wrongHeader(receiver.headers) : undefined;
    setHeaderFailure(wrong === undefined ? undefined : drainsText.noHeader(wrong));
    if (wrong !== undefined) return false;
    return await save(async () => {
      const { logDrain, signingSecret } = await send();
      if (signingSecret !== null) props.onSecret({ name: logDrain.name, secret: signingSecret });
      say(noticesText.saved(logDrain.name));
      await renewDrains();
    });
  };
  return (
    <FormDialog
      title={drain ? variablesText.edit(drain.name) : drainsText.add}
      wide
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <TextField
        label={drainsText.name}
        required
        autofocus
        failure={failureAt('name')}
        value={name()}
        onInput={setName}
      />
      <ChoiceField
        label={drainsText.level}
        choices={levelChoices}
        value={level() ?? ''}
        onInput={(text) => setLevel(levels.find((one) => one === text) ?? null)}
      />
      <Show when={drain}>
        {(known) => (
          <CheckField
            label={drainsText.replace}
            help={drainsText.replaceHelp(known().target)}
            checked={isReplacing()}
            onInput={setIsReplacing}
          />
        )}
      </Show>
      <Show when={isReplacing()}>
        <ReceiverFields
          draft={receiver}
          setDraft={setReceiver}
          failureAt={failureAt}
          headerFailure={headerFailure()}
        />
      </Show>
    </FormDialog>
  );
}
