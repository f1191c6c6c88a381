/** Creates or changes a channel. Its secrets are never shown: they stay unless new ones are entered. */
import { createSignal, For } from 'solid-js';
import { createStore } from 'solid-js/store';
import type { PatchNotificationChannelBody } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import type { Project } from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { noticesText } from '../../../text/notices-text.ts';
import { hostsText } from '../../../text/operator-text.ts';
import { variablesText } from '../../../text/service-text.ts';
import { CheckField, ChoiceField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { Show } from '../../../ui/show.ts';
import { ownZone } from '../../../ui/time-zones.ts';
import { say } from '../../../ui/toasts.tsx';
import { type ChannelKind, channelKinds, kindBody, kindFields } from './channel-kinds.ts';
import { EventChoice } from './event-choice.tsx';
import type { Channel, EventName } from './notification-queries.ts';

interface EditChannelProps {
  project: Project;
  /** Undefined: a new one. */
  channel: Channel | undefined;
  onClose(): void;
}

const kindChoices = channelKinds.map((value) => ({ value, text: noticesText.kinds[value] }));

export function EditChannel(props: EditChannelProps) {
  const { channel } = props;
  const [name, setName] = createSignal(channel?.name ?? '');
  const [kind, setKind] = createSignal<ChannelKind>(channel?.kind ?? 'slack');
  const [isReplacing, setIsReplacing] = createSignal(channel === undefined);
  const [typed, setTyped] = createStore<Partial<Record<string, string>>>({});
  const [isForAll, setIsForAll] = createSignal(false);
  const [events, setEvents] = createSignal<readonly EventName[] | undefined>(channel?.events);
  const [quiet, setQuiet] = createSignal(channel?.quietHours ?? null);
  const { isBusy, failureAt, save } = createSaving(
    (field) => /^(name|events|quietHours)\b/.test(field) || field.startsWith(`${kind()}.`),
  );
  const shared = (): PatchNotificationChannelBody => {
    const [first, ...others] = events() ?? [];
    return {
      quietHours: quiet(),
      ...(first === undefined ? {} : { events: [first, ...others] }),
      ...(isReplacing() ? kindBody(kind(), typed) : {}),
    };
  };
  const send = () => {
    if (channel) {
      const params = { channelId: channel.id };
      const body = { name: name(), ...shared() };
      return api.call('PATCH /api/notification-channels/:channelId', { params, body });
    }
    const projectId = isForAll() ? null : props.project.id;
    return api.call('POST /api/notification-channels', { body: { name: name(), projectId, ...shared() } });
  };
  const submit = () =>
    save(async () => {
      await send();
      say(noticesText.saved(name()));
      await queries.invalidateQueries({ queryKey: ['channels'] });
    });
  return (
    <FormDialog
      title={channel ? variablesText.edit(channel.name) : noticesText.add}
      wide
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <TextField
        label={noticesText.name}
        required
        autofocus
        failure={failureAt('name')}
        value={name()}
        onInput={setName}
      />
      <Show when={channel}>
        <CheckField
          label={noticesText.replace}
          help={noticesText.replaceHelp(channel?.target ?? '')}
          checked={isReplacing()}
          onInput={setIsReplacing}
        />
      </Show>
      <Show when={isReplacing()}>
        <ChoiceField
          label={noticesText.kind}
          choices={kindChoices}
          value={kind()}
          onInput={(text) => setKind(channelKinds.find((one) => one === text) ?? 'slack')}
        />
        <div class="field-grid">
          <For each={kindFields[kind()]}>
            {(field) => (
              <KindControl
                {...field}
                value={typed[field.name] ?? ''}
                failure={failureAt(`${kind()}.${field.name}`)}
                onInput={(text) => setTyped(field.name, text)}
              />
            )}
          </For>
        </div>
      </Show>
      <Show when={!channel}>
        <CheckField label={noticesText.forAll} checked={isForAll()} onInput={setIsForAll} />
      </Show>
      <EventChoice events={events()} failure={failureAt('events')} onChange={setEvents} />
      <CheckField
        label={noticesText.quiet}
        help={noticesText.quietHelp}
        checked={quiet() !== null}
        onInput={(on) => setQuiet(on ? { from: '22:00', to: '07:00', timeZone: ownZone } : null)}
      />
      <Show when={quiet()}>
        {(hours) => (
          <div class="field-grid">
            <TextField
              label={hostsText.from}
              type="time"
              required
              failure={failureAt('quietHours.from')}
              value={hours().from}
              onInput={(from) => setQuiet({ ...hours(), from })}
            />
            <TextField
              label={hostsText.to}
              type="time"
              required
              failure={failureAt('quietHours.to')}
              value={hours().to}
              onInput={(to) => setQuiet({ ...hours(), to })}
            />
            <TextField
              label={hostsText.timeZone}
              required
              failure={failureAt('quietHours.timeZone')}
              value={hours().timeZone}
              onInput={(timeZone) => setQuiet({ ...hours(), timeZone })}
            />
          </div>
        )}
      </Show>
    </FormDialog>
  );
}

interface KindControlProps {
  name: keyof typeof noticesText.fields;
  type: 'text' | 'url' | 'password' | 'number' | 'list' | 'choice';
  choices?: readonly string[];
  isOptional?: boolean;
  value: string;
  failure: string | undefined;
  onInput(text: string): void;
}

function KindControl(props: KindControlProps) {
  const { label, help } = noticesText.fields[props.name];
  const shared = { label, help, onInput: props.onInput };
  return (
    <Show
      when={props.type === 'choice'}
      fallback={
        <TextField
          {...shared}
          // The server reports invalid URLs; the browser's own message could be in another language.
          type={
            props.type === 'list' || props.type === 'url' || props.type === 'choice' ? 'text' : props.type
          }
          {...(props.type === 'list' ? { rows: 2 } : {})}
          required={!props.isOptional}
          failure={props.failure}
          value={props.value}
        />
      }
    >
      <ChoiceField
        {...shared}
        choices={(props.choices ?? []).map((value) => ({
          value,
          text: noticesText.providers[value] ?? value,
        }))}
        failure={props.failure}
        value={props.value}
      />
    </Show>
  );
}
