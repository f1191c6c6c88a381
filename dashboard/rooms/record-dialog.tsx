/** A dialog with the form of one record, which its fields describe: each is typed as a text, and all are sent together. */
import { For } from 'solid-js';
import { createStore } from 'solid-js/store';
import { FormDialog } from '../ui/form-dialog.tsx';
import { createSaving } from '../ui/saving.ts';
import { SettingControl, type SettingKind } from '../ui/setting-control.tsx';
import { say } from '../ui/toasts.tsx';

/** What is in the fields, by their names. */
export type Typed<Name extends string> = Readonly<Record<Name, string>>;

export interface RecordField<Name extends string> {
  /** As sentences of the API name it. */
  name: Name;
  kind: SettingKind;
  label: string;
  help?: string | undefined;
  choices?: readonly { value: string; text: string }[];
  isRequired?: boolean;
  mono?: boolean;
  /** Fields with the same one are together below it, in columns where there is room. */
  group?: string;
  /** Whether it belongs to what is typed so far; absent: always. */
  fits?(typed: Typed<Name>): boolean;
}

interface RecordDialogProps<Name extends string> {
  title: string;
  help?: string | undefined;
  fields: readonly RecordField<Name>[];
  /** Initial values of the fields. */
  first: Typed<Name>;
  /** @returns what to say then */
  send(typed: Typed<Name>): Promise<string>;
  submitLabel?: string;
  onClose(): void;
}

export function RecordDialog<Name extends string>(props: RecordDialogProps<Name>) {
  const [typed, setTyped] = createStore<Record<string, string>>({ ...props.first });
  const all = () => typed as Typed<Name>;
  // Once: fields that were made again would lose what has the focus.
  const described = props.fields;
  const fields = () => described.filter(({ fits }) => fits?.(all()) ?? true);
  const groups = [...new Set(described.flatMap(({ group }) => group ?? []))];
  // The API names a field with its place: `credentials.apiToken`, `corsOrigins[0]`.
  const isOf = (name: string, named: string) => named.split(/[.[]/).includes(name);
  const { isBusy, failureOf, save } = createSaving((named) => fields().some(({ name }) => isOf(name, named)));
  const submit = () => save(async () => say(await props.send({ ...all() })));
  const control = (field: RecordField<Name>) => (
    <SettingControl
      label={field.label}
      help={field.help}
      kind={field.kind}
      choices={field.choices ?? []}
      mono={field.mono === true}
      required={field.isRequired}
      autofocus={field === fields()[0]}
      failure={failureOf((named) => isOf(field.name, named))}
      value={typed[field.name] ?? ''}
      onInput={(text) => setTyped(field.name, text)}
    />
  );
  return (
    <FormDialog
      title={props.title}
      wide
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
      {...(props.submitLabel === undefined ? {} : { submitLabel: props.submitLabel })}
    >
      {props.help && <p class="quiet-text">{props.help}</p>}
      <For each={fields().filter(({ group }) => group === undefined)}>{control}</For>
      <For each={groups}>
        {(group) => (
          <fieldset class="field-group">
            <legend>{group}</legend>
            <div class="field-grid">
              <For each={fields().filter((field) => field.group === group)}>{control}</For>
            </div>
          </fieldset>
        )}
      </For>
    </FormDialog>
  );
}
