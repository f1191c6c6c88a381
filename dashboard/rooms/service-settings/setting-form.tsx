/** One group of settings: what was typed stays while the page renews itself, and only what differs is sent. */
import { For, Match, Show, Switch } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import type { PatchServiceBody } from '../../../client/client.ts';
import { api } from '../../api/client.ts';
import { type Overview, renewService } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, ChoiceField, TextField } from '../../ui/field.tsx';
import { createSaving } from '../../ui/saving.ts';
import { say } from '../../ui/toasts.tsx';
import { type SettingField, type SettingGroup, settingText, settingValue } from './setting-groups.ts';

interface SettingFormProps {
  group: SettingGroup;
  overview: Overview;
  mayWrite: boolean;
}

export function SettingForm(props: SettingFormProps) {
  const texts = t.serviceSettings;
  const service = () => props.overview.service;
  const fields = () => props.group.fields.filter(({ fits }) => fits?.(service()) ?? true);
  const [typed, setTyped] = createStore<Partial<Record<string, string>>>({});
  const { isBusy, failureAt, save } = createSaving((name) => fields().some((field) => field.name === name));
  const textOf = (field: SettingField) => typed[field.name] ?? settingText(service(), field);
  const changed = () => fields().filter((field) => textOf(field) !== settingText(service(), field));
  const discard = () => setTyped(reconcile({}));
  const submit = async () => {
    const body = Object.fromEntries(
      changed().map((field) => [field.name, settingValue(field, textOf(field))]),
    ) as PatchServiceBody;
    const isSaved = await save(async () => {
      const params = { serviceId: service().id };
      const { warnings = [] } = await api.call('PATCH /api/services/:serviceId', { params, body });
      say([texts.saved[props.group.applies], ...warnings].join(' '));
      await renewService(service().id);
    });
    if (isSaved) discard();
  };
  return (
    <section class="panel">
      <header>
        <h2>{texts.groups[props.group.name].title}</h2>
        <small class="quiet-text">{texts.applies[props.group.applies]}</small>
      </header>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (changed().length > 0) void submit();
        }}
      >
        <div class="field-grid">
          <For each={fields()}>
            {(field) => (
              <SettingControl
                field={field}
                value={textOf(field)}
                failure={failureAt(field.name)}
                disabled={!props.mayWrite}
                onInput={(text) => setTyped(field.name, text)}
              />
            )}
          </For>
        </div>
        <Show when={props.mayWrite}>
          <footer class="actions end">
            <Show when={changed().length > 0}>
              <Button onClick={discard}>{texts.discard}</Button>
            </Show>
            <Button kind="primary" type="submit" busy={isBusy()} disabled={changed().length === 0}>
              {texts.save}
            </Button>
          </footer>
        </Show>
      </form>
    </section>
  );
}

interface ControlProps {
  field: SettingField;
  value: string;
  failure: string | undefined;
  disabled: boolean;
  onInput(text: string): void;
}

function SettingControl(props: ControlProps) {
  const { name, kind, choices = [], isRequired } = props.field;
  const { label, help } = t.serviceSettings.fields[name];
  const choiceTexts: Record<string, string> = t.serviceSettings.choices;
  return (
    <Switch
      fallback={
        <TextField
          {...{ label, help }}
          type={kind === 'number' ? 'number' : 'text'}
          mono={kind !== 'number' && name !== 'name'}
          {...(kind === 'words' ? { rows: 3 } : {})}
          required={isRequired}
          disabled={props.disabled}
          failure={props.failure}
          value={props.value}
          onInput={props.onInput}
        />
      }
    >
      <Match when={kind === 'check'}>
        <CheckField
          {...{ label, help }}
          disabled={props.disabled}
          failure={props.failure}
          checked={props.value === 'true'}
          onInput={(checked) => props.onInput(String(checked))}
        />
      </Match>
      <Match when={kind === 'choice'}>
        <ChoiceField
          {...{ label, help }}
          choices={choices.map((value) => ({ value, text: choiceTexts[value] ?? value }))}
          disabled={props.disabled}
          failure={props.failure}
          value={props.value}
          onInput={props.onInput}
        />
      </Match>
    </Switch>
  );
}
