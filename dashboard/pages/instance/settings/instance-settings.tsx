/** Settings of the instance, by group, and its event webhook. */
import { For } from 'solid-js';
import { operatorApi } from '../../../api/operator.ts';
import { serviceSettingsText } from '../../../text/service-settings-text.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { createDraft } from '../../../ui/draft.ts';
import { createSaving } from '../../../ui/saving.ts';
import { SettingControl } from '../../../ui/setting-control.tsx';
import { Show } from '../../../ui/show.ts';
import { say } from '../../../ui/toasts.tsx';
import { renew, useInstanceSettings } from '../instance-queries.ts';
import { EventWebhook } from './event-webhook.tsx';
import { instanceSettingsText } from './instance-text.ts';
import { type InstanceSettings, instanceBody, instanceGroups, instanceText } from './setting-fields.ts';

export function InstanceSettingsRoom() {
  const settings = useInstanceSettings();
  return (
    <div class="stack settings-room">
      <header class="page-head">
        <div>
          <h1>{instanceSettingsText.title}</h1>
          <p class="quiet-text">{instanceSettingsText.help}</p>
        </div>
      </header>
      <Answer query={settings}>
        {(data) => (
          <>
            <For each={instanceGroups}>{(group) => <Group group={group} settings={data()} />}</For>
            <EventWebhook url={data().eventWebhook?.url ?? ''} />
            <p class="quiet-text">{instanceSettingsText.others}</p>
          </>
        )}
      </Answer>
    </div>
  );
}

function Group(props: { group: (typeof instanceGroups)[number]; settings: InstanceSettings }) {
  const { name, fields } = props.group;
  const { typed, type, discard } = createDraft(['operator', 'settings', name]);
  // In messages, an entry of a list has its index, and a field of retention has its group.
  const isOf = (name: string, named: string) => named.split(/[.[]/).includes(name);
  const { isBusy, failureOf, save } = createSaving((field) => fields.some((one) => isOf(one.name, field)));
  const textOf = (field: (typeof fields)[number]) => typed[field.name] ?? instanceText(props.settings, field);
  const changed = () => fields.filter((field) => textOf(field) !== instanceText(props.settings, field));
  const submit = async () => {
    const body = instanceBody(changed().map((field) => [field, textOf(field)]));
    const isSaved = await save(async () => {
      await operatorApi.call('PATCH /api/system/settings', { body });
      await renew('settings');
      say(instanceSettingsText.saved);
    });
    if (isSaved) discard();
  };
  return (
    <section class="panel">
      <h2>{instanceSettingsText.groups[name]}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (changed().length > 0) void submit();
        }}
      >
        <div class="field-grid">
          <For each={fields}>
            {(field) => (
              <SettingControl
                {...instanceSettingsText.fields[field.name]}
                kind={field.kind}
                choices={field.choices ?? []}
                mono={field.kind === 'text' || field.kind === 'words'}
                required={field.isRequired}
                failure={failureOf((named) => isOf(field.name, named))}
                value={textOf(field)}
                onInput={(text) => type(field.name, text)}
              />
            )}
          </For>
        </div>
        <footer class="actions end">
          <Show when={changed().length > 0}>
            <Button onClick={discard}>{serviceSettingsText.discard}</Button>
          </Show>
          <Button kind="primary" type="submit" busy={isBusy()} disabled={changed().length === 0}>
            {serviceSettingsText.save}
          </Button>
        </footer>
      </form>
    </section>
  );
}
