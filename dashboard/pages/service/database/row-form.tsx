/** A row as a form or as JSON: for reading long values, changing several at once, adding a row, deleting one. */
import { createSignal, For } from 'solid-js';
import { createStore } from 'solid-js/store';
import { t } from '../../../text/text.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { dataText, rowText } from './database-text.ts';
import { rowJson } from './export/export.ts';
import { primaryKeyOf, type Staged } from './staged.ts';
import { type Column, type Engine, keepsKeys, kindOf, type Row, type Table } from './table-types.ts';
import { ValueField } from './value-field.tsx';
import { choicesOf, editedText, editorOf, hintOf, sentValue, type Value } from './values.ts';

interface RowFormProps {
  engine: Engine;
  table: Table;
  columns: readonly Column[];
  /** Undefined: a new row. */
  row: Row | undefined;
  staged: Staged;
  mayEdit: boolean;
  onClose(): void;
}

interface Field {
  text: string;
  /** `value`: the text; `null`; `absent`: not sent. */
  kind: 'value' | 'null' | 'absent';
  isChanged: boolean;
  problem: string;
}

export function RowForm(props: RowFormProps) {
  const [isJson, setIsJson] = createSignal(false);
  const [fields, setFields] = createStore<Record<string, Field>>(
    Object.fromEntries(props.columns.map(({ name }) => [name, fieldOf(props.engine, props.row, name)])),
  );
  const key = () => props.row && primaryKeyOf(props.columns, props.row);
  /** Only for an existing row. */
  const keepsKey = () => props.row !== undefined && keepsKeys(props.engine, props.table);
  const mayEdit = () => props.mayEdit && (props.row === undefined || key() !== undefined);

  const stage = () => {
    const values: Record<string, Value> = {};
    let isWrong = false;
    for (const column of props.columns) {
      const field = fields[column.name];
      if (!field?.isChanged || field.kind === 'absent') continue;
      try {
        values[column.name] = field.kind === 'null' ? null : sentValue(props.engine, column, field.text);
      } catch (error) {
        isWrong = true;
        setFields(column.name, 'problem', error instanceof Error ? error.message : String(error));
      }
    }
    if (isWrong) return;
    const primaryKey = key();
    if (!props.row) props.staged.insert(props.table, values);
    else if (primaryKey) props.staged.update(props.table, primaryKey, props.row, values);
    props.onClose();
  };
  const remove = () => {
    const primaryKey = key();
    if (props.row && primaryKey) props.staged.remove(props.table, primaryKey, props.row);
    props.onClose();
  };
  const json = () => (props.row ? rowJson(props.columns, props.row, 2) : '');
  return (
    <Dialog
      wide
      title={(props.row ? rowText.title : rowText.newTitle)[kindOf(props.engine)](props.table.name)}
      onClose={props.onClose}
    >
      <Show when={props.row}>
        <div class="toolbar">
          <fieldset class="segmented">
            <legend class="visually-hidden">{rowText.form}</legend>
            <button type="button" aria-pressed={!isJson()} onClick={() => setIsJson(false)}>
              {rowText.form}
            </button>
            <button type="button" aria-pressed={isJson()} onClick={() => setIsJson(true)}>
              {rowText.json}
            </button>
          </fieldset>
          <CopyButton text={json()} what={rowText.json} />
        </div>
      </Show>
      <Show
        when={!isJson()}
        fallback={
          <pre class="json" tabindex="0">
            {json()}
          </pre>
        }
      >
        <form
          class="row-form"
          onSubmit={(event) => {
            event.preventDefault();
            stage();
          }}
        >
          <For each={props.columns}>
            {(column) => (
              <FormField
                engine={props.engine}
                column={column}
                field={fields[column.name] as Field}
                isNew={props.row === undefined}
                mayEdit={mayEdit() && !(column.primary && keepsKey())}
                onChange={(change) => setFields(column.name, { isChanged: true, problem: '', ...change })}
              />
            )}
          </For>
          <Show when={mayEdit()}>
            <footer class="actions end">
              <Show when={props.row}>
                <Button kind="danger" class="at-start" onClick={remove}>
                  {rowText.remove[kindOf(props.engine)]}
                </Button>
              </Show>
              <Button onClick={props.onClose}>{t.cancel}</Button>
              <Button kind="primary" type="submit">
                {rowText.stage}
              </Button>
            </footer>
          </Show>
        </form>
      </Show>
    </Dialog>
  );
}

function fieldOf(engine: Engine, row: Row | undefined, name: string): Field {
  const value = row?.[name];
  const kind = value === null ? 'null' : value === undefined ? 'absent' : 'value';
  return { text: editedText(engine, value), kind, isChanged: false, problem: '' };
}

interface FormFieldProps {
  engine: Engine;
  column: Column;
  field: Field;
  isNew: boolean;
  mayEdit: boolean;
  onChange(change: Partial<Field>): void;
}

function FormField(props: FormFieldProps) {
  const editor = () => editorOf(props.engine, props.column);
  const shown = () => (props.field.kind === 'value' ? props.field.text : '');
  return (
    <div class="form-field">
      <div class="form-field-head">
        <span>
          <strong>{props.column.name}</strong> <small class="quiet-text">{props.column.type}</small>
        </span>
        <Show when={props.mayEdit} fallback={<Show when={props.field.kind === 'null'}>{dataText.null}</Show>}>
          <fieldset class="segmented">
            <legend class="visually-hidden">{props.column.name}</legend>
            <button
              type="button"
              aria-pressed={props.field.kind === 'null'}
              aria-label={`${props.column.name}: ${rowText.setNull}`}
              onClick={() => props.onChange({ kind: 'null' })}
            >
              {rowText.setNull}
            </button>
            <Show when={props.isNew}>
              <button
                type="button"
                aria-pressed={props.field.kind === 'absent'}
                aria-label={`${props.column.name}: ${rowText.default}`}
                onClick={() => props.onChange({ kind: 'absent' })}
              >
                {rowText.default}
              </button>
            </Show>
          </fieldset>
        </Show>
      </div>
      <ValueField
        editor={editor()}
        choices={editor() === 'choice' ? choicesOf(props.column) : []}
        hint={props.mayEdit ? hintOf(props.engine, props.column) : ''}
        label={props.column.name}
        text={shown()}
        disabled={!props.mayEdit}
        problem={props.field.problem}
        onInput={(text) => props.onChange({ text, kind: 'value' })}
      />
    </div>
  );
}
