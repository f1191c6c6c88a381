/**
 * A field of several lines with a list of completions at the cursor: arrows, Enter or Tab, Esc. It is the browser's own field, so undo,
 * search, screen readers and phone keyboards work as usual. ARIA has no combobox with several lines, so the field only owns the list.
 */
import { createMemo, createSignal, createUniqueId, For, type JSX } from 'solid-js';
import { Show } from './show.ts';

interface Completion {
  /** The inserted text. */
  text: string;
  /** False: more text has to follow, so the list opens again. */
  isWhole?: boolean;
}

interface Completions<C> {
  /** The start of the replaced text; its end is the cursor. */
  from: number;
  found: readonly C[];
}

interface CompletedTextProps<C> {
  value: string;
  label: string;
  /** Name of the list. */
  listLabel: string;
  rows: number;
  placeholder?: string;
  autofocus?: boolean;
  /** Whether `/` focuses this field. */
  isForSlash?: boolean;
  class?: string;
  onInput(value: string): void;
  /** The completions at a position of the value. `isWanted`: the user asked for them with Ctrl-Space. */
  complete(at: number, isWanted: boolean): Completions<C> | undefined;
  /** True: show the list after each change and click; absent: only after typed text. */
  isEager?: boolean;
  /** Text after the cursor that is also replaced. */
  replacedAfter?: RegExp;
  /** The position of the list in the field; absent: below it. */
  place?(field: HTMLTextAreaElement, from: number): JSX.CSSProperties;
  /** Called for Ctrl-Enter. */
  onRun?(): void;
  /** Called before `complete`, to start loading its data. */
  onLook?(): void;
  /** The value with colours, drawn behind the field, whose own text is transparent then. */
  coloured?(): JSX.Element;
  /** One option. */
  children(completion: C): JSX.Element;
}

export function CompletedText<C extends Completion>(props: CompletedTextProps<C>) {
  let field: HTMLTextAreaElement | undefined;
  let behind: HTMLPreElement | undefined;
  const list = createUniqueId();
  /** The position of the cursor; undefined: the list is closed. */
  const [asked, setAsked] = createSignal<{ at: number; isWanted: boolean }>();
  const [chosen, setChosen] = createSignal(0);
  const open = createMemo(() => {
    const cursor = asked();
    return cursor && props.complete(cursor.at, cursor.isWanted);
  });
  const place = createMemo(() => {
    const found = open();
    return found && field && props.place?.(field, found.from);
  });
  const close = () => setAsked(undefined);
  const look = (isWanted = false) => {
    if (!field) return;
    setChosen(0);
    props.onLook?.();
    const { selectionStart: at, selectionEnd } = field;
    setAsked(at === selectionEnd ? { at, isWanted } : undefined);
  };
  const take = ({ text, isWhole = true }: C) => {
    const completions = open();
    if (!field || !completions) return;
    const { from } = completions;
    const rest = props.replacedAfter?.exec(field.value.slice(field.selectionStart))?.[0] ?? '';
    field.setSelectionRange(from, field.selectionStart + rest.length);
    // Inserted as if typed, so that undo works.
    if (!document.execCommand('insertText', false, text))
      field.setRangeText(text, from, field.selectionEnd, 'end');
    props.onInput(field.value);
    if (isWhole) close();
    else look();
  };
  const pressed = (event: KeyboardEvent) => {
    const completions = open();
    const length = completions?.found.length ?? 0;
    if (props.onRun && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      close();
      props.onRun();
    } else if (event.key === ' ' && event.ctrlKey) look(true);
    else if (!completions) return;
    else if (event.key === 'ArrowDown') setChosen((at) => (at + 1) % length);
    else if (event.key === 'ArrowUp') setChosen((at) => (at + length - 1) % length);
    else if (event.key === 'Escape') close();
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey)
      take(completions.found[chosen()] as C);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class={props.class} classList={{ coloured: props.coloured !== undefined }}>
      <Show when={props.coloured}>
        {(draw) => (
          <pre ref={behind} aria-hidden="true">
            {draw()()}
            {/* A last empty line has a height only with a character. */}
            {'\n '}
          </pre>
        )}
      </Show>
      <textarea
        ref={field}
        class="mono"
        data-filter={props.isForSlash ? '' : undefined}
        rows={props.rows}
        aria-label={props.label}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={list}
        aria-activedescendant={open() ? `${list}-${chosen()}` : undefined}
        placeholder={props.placeholder}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        autofocus={props.autofocus}
        value={props.value}
        onInput={(event) => {
          props.onInput(event.currentTarget.value);
          // Pasted, deleted or undone text does not open the list.
          if (props.isEager || (event.inputType === 'insertText' && !event.isComposing)) look();
          else close();
        }}
        // Handled before the page's own keys, because there Esc would leave the field or close the dialog.
        on:keydown={pressed}
        onClick={() => (props.isEager ? look() : close())}
        onScroll={({ currentTarget }) => {
          if (behind) behind.scrollTop = currentTarget.scrollTop;
          if (props.place) close();
        }}
        onBlur={close}
      />
      <div
        id={list}
        role="listbox"
        aria-label={props.listLabel}
        class="completions"
        classList={{ 'at-cursor': props.place !== undefined }}
        style={place()}
        hidden={!open()}
      >
        <For each={open()?.found ?? []}>
          {(completion, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and the keys (ARIA APG)
            <div
              id={`${list}-${index()}`}
              role="option"
              aria-selected={index() === chosen()}
              // Handled before the field loses the focus.
              onPointerDown={(event) => {
                event.preventDefault();
                take(completion);
              }}
            >
              {props.children(completion)}
            </div>
          )}
        </For>
      </div>
    </div>
  );
}
