/** A dialog with a form for one record, described by its fields: each value is a text, and all are sent together. */
import { For } from 'solid-js';
import { createStore } from 'solid-js/store';
import { FormDialog } from './form-dialog.tsx';
import { createSaving } from './saving.ts';
import { SettingControl, type SettingKind } from './setting-control.tsx';
import { say } from './toasts.tsx';

/** The texts of the fields, by name. */
export type Typed<Name extends string> = Readonly<Record<Name, string>>;

export interface RecordField<Name extends string> {
  /** The field's name in messages of the API. */
  name: Name;
  kind: SettingKind;
  label: string;
  help?: string | undefined;
  choices?: readonly { value: string; text: string }[];
  isRequired?: boolean;
  mono?: boolean;
  /** Fields with the same group are shown together under its title, in columns if there is space. */
  group?: string;
  /** Whether the field applies to the current values; absent: always. */
  fits?(typed: Typed<Name>): boolean;
}

interface RecordDialogProps<Name extends string> {
  title: string;
  help?: string | undefined;
  fields: readonly RecordField<Name>[];
  /** Initial values of the fields. */
  first: Typed<Name>;
  /** @returns the message to show afterwards */
  send(typed: Typed<Name>): Promise<string | undefined>;
  submitLabel?: string;
  onClose(): void;
}

export function RecordDialog<Name extends string>(props: RecordDialogProps<Name>) {
  const [typed, setTyped] = createStore<Record<string, string>>({ ...props.first });
  const all = () => typed as Typed<Name>;
  // Read once: if fields were created again, the focused one would lose the focus.
  const described = props.fields;
  const fields = () => described.filter(({ fits }) => fits?.(all()) ?? true);
  const groups = [...new Set(described.flatMap(({ group }) => group ?? []))];
  // The API writes a field with its path: `credentials.apiToken`, `corsOrigins[0]`.
  const isOf = (name: string, named: string) => named.split(/[.[]/).includes(name);
  const { isBusy, failureOf, save } = createSaving((named) => fields().some(({ name }) => isOf(name, named)));
  const submit = () =>
    save(async () => {
      const done = await props.send({ ...all() });
      if (done !== undefined) say(done);
    });
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
