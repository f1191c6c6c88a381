/** The lists beside and above a statement: its tabs, what was saved, and what was run. */
import { For } from 'solid-js';
import { Button } from '../../../../ui/button.tsx';
import { CloseIcon, PlusIcon, TrashIcon } from '../../../../ui/icons.tsx';
import { Show } from '../../../../ui/show.ts';
import { queryText } from '../database-text.ts';
import { type createQueryTabs, tabName } from './query-tabs.ts';

type Written = ReturnType<typeof createQueryTabs>;

export function TabStrip(props: { written: Written }) {
  const nameOf = (text: string) => tabName(text) || queryText.emptyTab;
  return (
    <nav class="query-tabs" aria-label={queryText.tabs}>
      <For each={props.written.tabs()}>
        {({ id, text }) => (
          <span classList={{ chosen: id === props.written.current().id }}>
            <button
              type="button"
              aria-pressed={id === props.written.current().id}
              onClick={() => props.written.choose(id)}
            >
              {nameOf(text)}
            </button>
            <Button
              kind="quiet"
              class="small"
              icon={CloseIcon}
              aria-label={queryText.closeTab(nameOf(text))}
              onClick={() => props.written.close(id)}
            />
          </span>
        )}
      </For>
      <Button
        kind="quiet"
        class="small"
        icon={PlusIcon}
        aria-label={queryText.newTab}
        disabled={!props.written.mayAdd()}
        onClick={props.written.add}
      />
    </nav>
  );
}

export function SavedQueries(props: { written: Written }) {
  return (
    <section class="panel history">
      <header>
        <h2>{queryText.savedTitle}</h2>
      </header>
      <ul>
        <For each={props.written.saved()} fallback={<li class="quiet-text">{queryText.noSaved}</li>}>
          {({ name, text }) => (
            <li class="saved-query">
              <button type="button" title={text} onClick={() => props.written.open(text)}>
                {name}
              </button>
              <Button
                kind="quiet"
                class="small"
                icon={TrashIcon}
                aria-label={queryText.removeSaved(name)}
                onClick={() => props.written.remove(name)}
              />
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}

export function History(props: {
  statements: readonly string[];
  onChoose(statement: string): void;
  onClear(): void;
}) {
  return (
    <section class="panel history">
      <header>
        <h2>{queryText.history}</h2>
        <Show when={props.statements.length > 0}>
          <button type="button" class="link quiet-text" onClick={props.onClear}>
            {queryText.clearHistory}
          </button>
        </Show>
      </header>
      <ul>
        <For each={props.statements} fallback={<li class="quiet-text">{queryText.noHistory}</li>}>
          {(statement) => (
            <li>
              <button type="button" title={statement} onClick={() => props.onChoose(statement)}>
                {statement}
              </button>
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}
