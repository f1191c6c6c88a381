/** Creates a key with at most the rights of the signed-in member. */
import { createSignal, For } from 'solid-js';
import { api } from '../../../api/client.ts';
import { type OwnKey, useProjects } from '../../../api/queries.ts';
import { apiKeysText } from '../../../text/operator-text.ts';
import { ChoiceField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { Show } from '../../../ui/show.ts';
import { type Level, levelsUpTo } from './levels-up-to.ts';
import { ownKeysText } from './own-keys-text.ts';

/** A new key; this is the only time that its token is known. */
export interface IssuedKey {
  name: string;
  token: string;
}

interface NewOwnKeyProps {
  ownKey: OwnKey;
  onIssued(key: IssuedKey): void;
  onClose(): void;
}

type Unit = keyof typeof ownKeysText.units;
const units = Object.keys(ownKeysText.units) as Unit[];
const unitChoices = units.map((value) => ({ value, text: ownKeysText.units[value] }));

export function NewOwnKey(props: NewOwnKeyProps) {
  const projects = useProjects();
  const levels = levelsUpTo(props.ownKey);
  const [name, setName] = createSignal('');
  const [access, setAccess] = createSignal<Level>(levels.find((one) => one === 'deploy') ?? 'read');
  const [chosen, setChosen] = createSignal<readonly string[]>([]);
  const [unit, setUnit] = createSignal<Unit>('expiresInDays');
  const [span, setSpan] = createSignal('90');
  const fields = ['name', 'access', 'projects', ...units];
  const { isBusy, failureAt, save } = createSaving((field) => fields.includes(field));
  const submit = () =>
    save(async () => {
      const [first, ...others] = chosen();
      const body = {
        ...{ name: name().trim(), access: access(), [unit()]: Number(span()) },
        ...(first === undefined ? {} : { projects: [first, ...others] as [string, ...string[]] }),
      };
      const { key, token } = await api.call('POST /api/keys', { body });
      props.onIssued({ name: key.name, token });
    });
  const toggle = (id: string, isChosen: boolean) =>
    setChosen((all) => (isChosen ? [...all, id] : all.filter((one) => one !== id)));
  return (
    <FormDialog
      title={apiKeysText.create}
      submitLabel={apiKeysText.createSubmit}
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <TextField
        label={apiKeysText.name}
        help={apiKeysText.nameHelp}
        required
        autofocus
        failure={failureAt('name')}
        value={name()}
        onInput={setName}
      />
      <ChoiceField
        label={apiKeysText.access}
        failure={failureAt('access')}
        choices={levels.map((value) => ({ value, text: apiKeysText.levels[value] }))}
        value={access()}
        onInput={(value) => setAccess(levels.find((one) => one === value) ?? 'read')}
      />
      <fieldset class="checks">
        <legend>
          {apiKeysText.projects}:{' '}
          {chosen().length === 0 ? ownKeysText.yourProjects : apiKeysText.chosenProjects}
        </legend>
        <For each={projects.data ?? []}>
          {(project) => (
            <label>
              <input
                type="checkbox"
                checked={chosen().includes(project.id)}
                onChange={({ currentTarget }) => toggle(project.id, currentTarget.checked)}
              />
              <span>{project.name}</span>
            </label>
          )}
        </For>
      </fieldset>
      <Show when={failureAt('projects')}>
        {(text) => (
          <small class="field-failure" role="alert">
            {text()}
          </small>
        )}
      </Show>
      <div class="field-grid">
        <TextField
          label={ownKeysText.span}
          help={ownKeysText.spanHelp[unit()]}
          type="number"
          required
          failure={failureAt(unit())}
          value={span()}
          onInput={setSpan}
        />
        <ChoiceField
          label={ownKeysText.unit}
          choices={unitChoices}
          value={unit()}
          onInput={(value) => setUnit(units.find((one) => one === value) ?? 'expiresInDays')}
        />
      </div>
    </FormDialog>
  );
}
