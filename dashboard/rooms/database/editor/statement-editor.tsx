/**
 * The field of a statement. What can follow is listed at the cursor while one types, or for Ctrl-Space: arrows, Enter or Tab, Esc. It is the browser's
 * own field, so undo, search, screen readers and keyboards of phones work as everywhere.
 */
import { createMemo, createSignal, createUniqueId, For } from 'solid-js';
import { t } from '../../../text/text.ts';
import { caretPlace } from './caret-place.ts';
import {
  type Catalogue,
  type Completion,
  type Completions,
  completeStatement,
} from './complete-statement.ts';

interface StatementEditorProps {
  catalogue: Catalogue;
  value: string;
  label: string;
  placeholder: string;
  onInput(value: string): void;
  onRun(): void;
  /** The text is looked at: what it names may be read now. */
  onLook(): void;
}

/** Width of the list, so that it stays inside the field. */
const listPx = 300;

export function StatementEditor(props: StatementEditorProps) {
  let field: HTMLTextAreaElement | undefined;
  const list = createUniqueId();
  /** Where the cursor is; undefined: the list is closed. */
  const [asked, setAsked] = createSignal<{ at: number; isWanted: boolean }>();
  const [chosen, setChosen] = createSignal(0);
  const open = createMemo((): Completions | undefined => {
    const cursor = asked();
    return cursor && completeStatement(props.catalogue, props.value, cursor.at, cursor.isWanted);
  });
  const place = createMemo(() => {
    const found = open();
    if (!found || !field) return undefined;
    const { left, top } = caretPlace(field, found.from);
    // The page may become narrower while it is open.
    return { left: `min(${left}px, max(0px, 100% - ${listPx}px))`, top: `${top}px` };
  });
  const close = () => setAsked(undefined);
  const look = (isWanted: boolean) => {
    if (!field) return;
    setChosen(0);
    props.onLook();
    setAsked(
      field.selectionStart === field.selectionEnd ? { at: field.selectionStart, isWanted } : undefined,
    );
  };
  const take = ({ text }: Completion) => {
    const completions = open();
    if (!field || !completions) return;
    field.setSelectionRange(completions.from, field.selectionStart);
    // As if typed, so that undo takes it back.
    if (!document.execCommand('insertText', false, text))
      field.setRangeText(text, completions.from, field.selectionEnd, 'end');
    props.onInput(field.value);
    close();
  };
  const pressed = (event: KeyboardEvent) => {
    const isMod = event.ctrlKey || event.metaKey;
    const completions = open();
    if (event.key === 'Enter' && isMod) {
      close();
      props.onRun();
    } else if (event.key === ' ' && event.ctrlKey) look(true);
    else if (!completions) return;
    else if (event.key === 'ArrowDown') setChosen((at) => (at + 1) % completions.found.length);
    else if (event.key === 'ArrowUp')
      setChosen((at) => (at + completions.found.length - 1) % completions.found.length);
    else if (event.key === 'Escape') close();
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey)
      take(completions.found[chosen()] as Completion);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="statement-editor">
      <textarea
        ref={field}
        class="mono"
        data-filter
        rows={Math.max(5, Math.min(18, props.value.split('\n').length + 1))}
        aria-label={props.label}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={list}
        aria-activedescendant={open() ? `${list}-${chosen()}` : undefined}
        placeholder={props.placeholder}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        value={props.value}
        onInput={(event) => {
          props.onInput(event.currentTarget.value);
          // Only what is typed asks; not what is pasted, deleted or undone.
          if (event.inputType === 'insertText' && !event.isComposing) look(false);
          else close();
        }}
        // Before the page's own keys, where Esc would leave the field.
        on:keydown={pressed}
        onClick={close}
        onScroll={close}
        onBlur={close}
      />
      <div
        id={list}
        role="listbox"
        aria-label={t.query.completions}
        class="completions at-cursor"
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
              // Before the field loses the focus.
              onPointerDown={(event) => {
                event.preventDefault();
                take(completion);
              }}
            >
              <code>{completion.name}</code>
              <small>{[t.query.kinds[completion.kind], completion.detail].filter(Boolean).join(' · ')}</small>
            </div>
          )}
        </For>
      </div>
    </div>
  );
}
