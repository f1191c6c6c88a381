/** The field for one value, by the type of its column. */
import { createUniqueId, For, Match, Switch } from 'solid-js';
import { Show } from '../../../ui/show.ts';
import type { Editor } from './values.ts';

/** Initial height of a field; the user can enlarge it. */
const rowsMax = 8;
/** Approximate number of characters in a line of the form. */
const lineLength = 80;
const rowsOf = (text: string) =>
  Math.min(
    rowsMax,
    text.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / lineLength)), 0),
  );

interface ValueFieldProps {
  editor: Editor;
  /** For the editor `choice`. */
  choices?: readonly string[];
  /** The expected format of a value. */
  hint?: string;
  label: string;
  text: string;
  onInput(text: string): void;
  autofocus?: boolean;
  disabled?: boolean;
  /** A sentence; empty: the text is valid. */
  problem?: string;
}

export function ValueField(props: ValueFieldProps) {
  const id = createUniqueId();
  const shared = () => ({
    'aria-label': props.label,
    'aria-invalid': props.problem ? ('true' as const) : undefined,
    'aria-describedby': props.problem || props.hint ? id : undefined,
    autofocus: props.autofocus,
    disabled: props.disabled,
    spellcheck: false,
    autocomplete: 'off',
  });
  return (
    <>
      <Switch
        fallback={
          <textarea
            class="mono"
            rows={rowsOf(props.text)}
            value={props.text}
            onInput={(event) => props.onInput(event.currentTarget.value)}
            {...shared()}
          />
        }
      >
        <Match when={props.editor === 'choice'}>
          <select
            value={props.text}
            onInput={(event) => props.onInput(event.currentTarget.value)}
            aria-label={props.label}
            autofocus={props.autofocus}
            disabled={props.disabled}
          >
            {/* The current value may not be among the choices: NULL, or a value from before the column had its type. */}
            <Show when={!props.choices?.includes(props.text)}>
              <option value={props.text}>{props.text}</option>
            </Show>
            <For each={props.choices}>{(choice) => <option value={choice}>{choice}</option>}</For>
          </select>
        </Match>
        {/* Dates that the control can't show, such as infinity, are texts. */}
        <Match when={props.editor === 'date' && /^(\d{4}-\d{2}-\d{2})?$/.test(props.text)}>
          <input
            class="mono"
            type="date"
            value={props.text}
            onInput={(event) => props.onInput(event.currentTarget.value)}
            {...shared()}
          />
        </Match>
        <Match when={props.editor === 'number'}>
          <input
            class="mono"
            type="text"
            inputmode="decimal"
            value={props.text}
            onInput={(event) => props.onInput(event.currentTarget.value)}
            {...shared()}
          />
        </Match>
      </Switch>
      <Show when={!props.problem && props.hint}>
        <small class="quiet-text field-hint" id={id}>
          {props.hint}
        </small>
      </Show>
      <Show when={props.problem}>
        <small class="field-failure" id={id} role="alert">
          {props.problem}
        </small>
      </Show>
    </>
  );
}
