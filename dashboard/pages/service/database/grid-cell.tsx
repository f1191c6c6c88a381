/** One value of a row: shown exactly, and edited in place. */
import { createSignal, For, onMount } from 'solid-js';
import { Button } from '../../../ui/button.tsx';
import { NextIcon } from '../../../ui/icons.tsx';
import { Show } from '../../../ui/show.ts';
import { dataText, rowText } from './database-text.ts';
import type { Column, Engine, Row } from './table-types.ts';
import { ValueField } from './value-field.tsx';
import { cellText, choicesOf, editedText, editorOf, hintOf, sentValue, type Value } from './values.ts';

interface GridCellProps {
  engine: Engine;
  column: Column;
  row: Row;
  /** Row and column, by which the grid finds the cell. */
  place: string;
  /** Values that are not written yet. */
  staged: Record<string, Value> | undefined;
  isFocusable: boolean;
  isEditing: boolean;
  isReadOnly: boolean;
  /** The address of the row that the value names. */
  target: { address: string; name: string } | undefined;
  onFocus(): void;
  onEdit(): void;
  onSave(value: Value): void;
  onLeave(): void;
}

/** Characters in a cell; the row's form has all of them. */
const shownMax = 300;

export function GridCell(props: GridCellProps) {
  const isStaged = () => props.staged !== undefined && Object.hasOwn(props.staged, props.column.name);
  const value = () => (isStaged() ? props.staged?.[props.column.name] : props.row[props.column.name]);
  const isNothing = () => value() === null || value() === undefined;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the one with the focus has tabindex 0, the others -1
    <td
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid (ARIA APG), which has the keys
      role="gridcell"
      data-cell={props.place}
      tabindex={props.isFocusable && !props.isEditing ? 0 : -1}
      aria-readonly={props.isReadOnly ? 'true' : undefined}
      classList={{ staged: isStaged(), nothing: isNothing(), editing: props.isEditing }}
      onFocus={props.onFocus}
      onDblClick={() => !props.isEditing && props.onEdit()}
    >
      <Show
        when={props.isEditing}
        fallback={
          <>
            <OneLine text={cellText(value()).slice(0, shownMax)} />
            <Show when={isStaged() ? undefined : props.target}>
              {(target) => (
                <a
                  class="follow"
                  href={target().address}
                  tabindex={props.isFocusable ? 0 : -1}
                  aria-label={dataText.follow(cellText(value()), target().name)}
                  title={dataText.follow(cellText(value()), target().name)}
                >
                  <NextIcon />
                </a>
              )}
            </Show>
          </>
        }
      >
        <CellEditor
          engine={props.engine}
          column={props.column}
          value={value()}
          onSave={props.onSave}
          onLeave={props.onLeave}
        />
      </Show>
    </td>
  );
}

/** Every row has the same height, so a line break is shown as a symbol. */
function OneLine(props: { text: string }) {
  const lines = () => props.text.split(/\r\n|[\r\n]/);
  return (
    <For each={lines()}>
      {(line, at) => (
        <>
          <Show when={at() > 0}>
            <span class="line-break" role="img" aria-label={dataText.lineBreak} />
          </Show>
          {line}
        </>
      )}
    </For>
  );
}

interface CellEditorProps extends Pick<GridCellProps, 'engine' | 'column' | 'onSave' | 'onLeave'> {
  value: Value;
}

function CellEditor(props: CellEditorProps) {
  let box: HTMLDivElement | undefined;
  const editor = () => editorOf(props.engine, props.column);
  const [text, setText] = createSignal(editedText(props.engine, props.value));
  /** An unchanged value is not sent: NULL is not an empty text, and JSON keeps its format. */
  const [isChanged, setIsChanged] = createSignal(false);
  const [problem, setProblem] = createSignal('');
  onMount(() => {
    const field = box?.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea, select');
    // Long JSON is shown from its start.
    if (editor() === 'json') field?.setSelectionRange(0, 0);
    field?.focus();
  });
  const isNull = () => props.value === null || props.value === undefined;
  const save = () => {
    if (!isChanged()) return props.onLeave();
    try {
      props.onSave(sentValue(props.engine, props.column, text()));
    } catch (error) {
      setProblem(error instanceof RangeError ? error.message : String(error));
    }
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Escape') props.onLeave();
    // In a field of several lines, Enter inserts a line break and Ctrl-Enter saves.
    else if (
      event.key === 'Enter' &&
      (editor() !== 'json' || event.ctrlKey || event.metaKey) &&
      !event.shiftKey
    )
      save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field inside has the focus
    <div
      class="cell-editor"
      ref={box}
      onKeyDown={pressed}
      onFocusOut={(event) => {
        if (event.relatedTarget instanceof Node && box?.contains(event.relatedTarget)) return;
        // Leaving the cell saves a valid value.
        if (event.relatedTarget !== null) save();
      }}
    >
      <ValueField
        editor={editor()}
        label={rowText.editing(props.column.name)}
        choices={editor() === 'choice' ? choicesOf(props.column) : []}
        hint={hintOf(props.engine, props.column)}
        text={text()}
        onInput={(next) => {
          setIsChanged(true);
          setText(next);
        }}
        problem={problem()}
      />
      <Show when={editor() === 'text' && isNull()}>
        <Button class="small" onClick={() => props.onSave('')}>
          {rowText.setEmpty}
        </Button>
      </Show>
      <Button class="small" onClick={() => props.onSave(null)}>
        {rowText.setNull}
      </Button>
    </div>
  );
}
