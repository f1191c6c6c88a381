/** The field of a value. While a reference is typed, a list of what it can name is below it (as in a combobox, which a field of several lines can't be): arrows, Enter or Tab, Esc. */
import { createMemo, createSignal, createUniqueId, For } from 'solid-js';
import { t } from '../../text/text.ts';
import { Show } from '../../ui/show.ts';
import {
  type Completion,
  type Completions,
  completeReference,
  type Referable,
} from './complete-reference.ts';

interface ValueProps {
  value: string;
  onInput(value: string): void;
  services: readonly Referable[];
  serviceId: string;
  /** The variable that it is the value of. */
  key: string;
  autofocus: boolean;
}

export function ValueWithReferences(props: ValueProps) {
  let field: HTMLTextAreaElement | undefined;
  const list = createUniqueId();
  /** What is before the cursor; undefined: the list is closed. What references can name may come later. */
  const [before, setBefore] = createSignal<string>();
  const open = createMemo((): Completions | undefined => {
    const text = before();
    return text === undefined
      ? undefined
      : completeReference(text, props.services, props.serviceId, props.key);
  });
  const [chosen, setChosen] = createSignal(0);
  const close = () => setBefore(undefined);
  const look = () => {
    setChosen(0);
    const hasSelection = field?.selectionStart !== field?.selectionEnd;
    setBefore(hasSelection ? undefined : field?.value.slice(0, field.selectionStart));
  };
  const take = ({ text, isWhole }: Completion) => {
    const completions = open();
    if (!field || !completions) return;
    // What is behind the cursor of the same reference is replaced with it.
    const rest = field.value.slice(field.selectionStart).replace(/^[A-Z0-9_]*\}/, '');
    const next = field.value.slice(0, completions.from) + text;
    props.onInput(next + rest);
    field.value = next + rest;
    field.setSelectionRange(next.length, next.length);
    if (isWhole) close();
    else look();
  };
  const pressed = (event: KeyboardEvent) => {
    const completions = open();
    if (!completions) return;
    const { length } = completions.found;
    if (event.key === 'ArrowDown') setChosen((at) => (at + 1) % length);
    else if (event.key === 'ArrowUp') setChosen((at) => (at + length - 1) % length);
    else if (event.key === 'Escape') close();
    else if (event.key === 'Enter' || event.key === 'Tab') take(completions.found[chosen()] as Completion);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="completed">
      <textarea
        ref={field}
        class="mono"
        rows="3"
        spellcheck={false}
        autocomplete="off"
        autofocus={props.autofocus}
        aria-label={t.variables.value}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={list}
        aria-activedescendant={open() ? `${list}-${chosen()}` : undefined}
        value={props.value}
        onInput={(event) => {
          props.onInput(event.currentTarget.value);
          look();
        }}
        // Before the page's own keys: there Esc would leave the field, and the dialog would close.
        on:keydown={pressed}
        onClick={look}
        onBlur={close}
      />
      <div id={list} role="listbox" aria-label={t.variables.references} class="completions" hidden={!open()}>
        <For each={open()?.found ?? []}>
          {(completion, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and the keys (ARIA APG)
            <div
              id={`${list}-${index()}`}
              role="option"
              aria-selected={index() === chosen()}
              // Before the field loses the focus.
              onPointerDown={(event) => {
                event.preventDefault();
                take(completion);
              }}
            >
              <code>{completion.text}</code>
            </div>
          )}
        </For>
      </div>
      <Show when={props.services.length > 0}>
        <small class="quiet-text">{t.variables.referenceHelp}</small>
      </Show>
    </div>
  );
}
