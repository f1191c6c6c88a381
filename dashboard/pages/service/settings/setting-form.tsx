/** One group of settings: typed values stay when the page renews itself, and only changed values are sent. */
import { For } from 'solid-js';
import type { PatchServiceBody } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { type Overview, renewService } from '../../../api/queries.ts';
import { serviceSettingsText } from '../../../text/service-settings-text.ts';
import { Button } from '../../../ui/button.tsx';
import { createDraft } from '../../../ui/draft.ts';
import { createSaving } from '../../../ui/saving.ts';
import { SettingControl } from '../../../ui/setting-control.tsx';
import { Show } from '../../../ui/show.ts';
import { say } from '../../../ui/toasts.tsx';
import {
  choicesFor,
  fieldsFor,
  groupTitle,
  type SettingField,
  type SettingGroup,
  settingLabel,
  settingText,
  settingValue,
} from './setting-groups.ts';

interface SettingFormProps {
  group: SettingGroup;
  overview: Overview;
  mayWrite: boolean;
}

const choiceTexts: Record<string, string> = serviceSettingsText.choices;
const controlOf = (control: SettingField['control']) => {
  if (control === 'switch') return 'check';
  return control === 'names' || control === 'options' ? 'area' : control;
};

export function SettingForm(props: SettingFormProps) {
  const texts = serviceSettingsText;
  const service = () => props.overview.service;
  const fields = () => fieldsFor(service(), props.group);
  const { typed, type, discard } = createDraft(['service-settings', service().id, props.group.name]);
  const { isBusy, failureAt, save } = createSaving((name) => fields().some((field) => field.name === name));
  const textOf = (field: SettingField) => typed[field.name] ?? settingText(service(), field);
  const changed = () => fields().filter((field) => textOf(field) !== settingText(service(), field));
  const submit = async () => {
    const body = Object.fromEntries(
      changed().map((field) => [field.name, settingValue(field, textOf(field))]),
    ) as PatchServiceBody;
    const isSaved = await save(async () => {
      const params = { serviceId: service().id };
      const { warnings = [] } = await api.call('PATCH /api/services/:serviceId', { params, body });
      say([texts.saved[props.group.appliedBy], ...warnings].join(' '));
      await renewService(service().id);
    });
    if (isSaved) discard();
  };
  return (
    <section class="panel">
      <header>
        <h2>{groupTitle(service(), props.group)}</h2>
        <small class="quiet-text">{texts.applies[props.group.appliedBy]}</small>
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
                label={settingLabel(field.name)}
                help={field.control === 'words' ? `${field.help} ${texts.words}` : field.help}
                kind={controlOf(field.control)}
                choices={choicesFor(service(), field).map((value) => ({
                  value,
                  text: choiceTexts[value] ?? value,
                }))}
                mono={field.control !== 'number' && field.name !== 'name'}
                required={field.isRequired}
                value={textOf(field)}
                failure={failureAt(field.name)}
                disabled={!props.mayWrite}
                onInput={(text) => type(field.name, text)}
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
