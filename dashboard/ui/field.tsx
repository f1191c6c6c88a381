/** A labelled control with its help, and the sentence if the server refused its value. */
import { createEffect, createUniqueId, For, type JSX } from 'solid-js';
import { Show } from './show.ts';

/** The properties for the control itself. */
interface Control {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': 'true' | undefined;
}

interface Labelled {
  label: string;
  help?: string | undefined;
  /** Why its value was refused. The control then gets the focus. */
  failure?: string | undefined;
}

function Field(props: Labelled & { children(control: Control): JSX.Element }) {
  const id = createUniqueId();
  createEffect(() => props.failure && document.getElementById(id)?.focus());
  const control: Control = {
    id,
    get 'aria-describedby'() {
      const parts = [props.help && `${id}-help`, props.failure && `${id}-failure`];
      return parts.filter(Boolean).join(' ') || undefined;
    },
    get 'aria-invalid'() {
      return props.failure ? ('true' as const) : undefined;
    },
  };
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {props.children(control)}
      <Show when={props.help}>
        <small id={`${id}-help`} class="quiet-text">
          {props.help}
        </small>
      </Show>
      <Show when={props.failure}>
        <small id={`${id}-failure`} class="field-failure" role="alert">
          {props.failure}
        </small>
      </Show>
    </div>
  );
}

interface TextProps extends Labelled {
  value: string;
  type?: 'text' | 'number' | 'password' | 'time' | 'url' | 'email' | undefined;
  mono?: boolean;
  required?: boolean | undefined;
  disabled?: boolean | undefined;
  placeholder?: string;
  autofocus?: boolean;
  /** Above one: a text area with this many lines. */
  rows?: number;
  onInput(value: string): void;
}

export function TextField(props: TextProps) {
  const shared = {
    spellcheck: false,
    autocomplete: 'off' as const,
    autocapitalize: 'off' as const,
  };
  return (
    <Field label={props.label} help={props.help} failure={props.failure}>
      {(control) => (
        <Show
          when={props.rows}
          fallback={
            <input
              {...shared}
              {...control}
              class={props.mono ? 'mono' : ''}
              type={props.type ?? 'text'}
              autocomplete={props.type === 'password' ? 'new-password' : 'off'}
              step="any"
              required={props.required}
              disabled={props.disabled}
              placeholder={props.placeholder}
              autofocus={props.autofocus}
              value={props.value}
              onInput={(event) => props.onInput(event.currentTarget.value)}
            />
          }
        >
          {(rows) => (
            <textarea
              {...shared}
              {...control}
              class={props.mono ? 'mono' : ''}
              rows={rows()}
              required={props.required}
              disabled={props.disabled}
              placeholder={props.placeholder}
              autofocus={props.autofocus}
              value={props.value}
              onInput={(event) => props.onInput(event.currentTarget.value)}
            />
          )}
        </Show>
      )}
    </Field>
  );
}

interface ChoiceProps extends Labelled {
  value: string;
  choices: readonly { value: string; text: string }[];
  disabled?: boolean | undefined;
  onInput(value: string): void;
}

export function ChoiceField(props: ChoiceProps) {
  return (
    <Field label={props.label} help={props.help} failure={props.failure}>
      {(control) => (
        <select
          {...control}
          disabled={props.disabled}
          onChange={(event) => props.onInput(event.currentTarget.value)}
        >
          <For each={props.choices}>
            {({ value, text }) => (
              <option value={value} selected={value === props.value}>
                {text}
              </option>
            )}
          </For>
        </select>
      )}
    </Field>
  );
}

interface CheckProps extends Labelled {
  checked: boolean;
  disabled?: boolean | undefined;
  onInput(checked: boolean): void;
}

export function CheckField(props: CheckProps) {
  const id = createUniqueId();
  return (
    <div class="field check">
      <input
        id={id}
        type="checkbox"
        aria-describedby={props.help ? `${id}-help` : undefined}
        disabled={props.disabled}
        checked={props.checked}
        onInput={(event) => props.onInput(event.currentTarget.checked)}
      />
      <div>
        <label for={id}>{props.label}</label>
        <Show when={props.help}>
          <small id={`${id}-help`} class="quiet-text">
            {props.help}
          </small>
        </Show>
        <Show when={props.failure}>
          <small class="field-failure" role="alert">
            {props.failure}
          </small>
        </Show>
      </div>
    </div>
  );
}
