/** The tables of a database, or the keys of Redis, to choose from. */
import { createMemo, createSignal, For } from 'solid-js';
import { t } from '../../../text/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Filter } from '../../../ui/filter.tsx';
import { Show } from '../../../ui/show.ts';
import type { KeySearch } from './database-queries.ts';
import { dataText } from './database-text.ts';
import { type Engine, kindOf, type Table } from './table-types.ts';

interface TableListProps {
  engine: Engine;
  tables: readonly Table[];
  /** Cursor of the next page of keys; null: there is none. */
  cursor: string | null | undefined;
  chosen: string | undefined;
  search: KeySearch;
  onSearch(search: KeySearch): void;
  /** Address of the page that shows the table. */
  path(table: Table): string;
}

/** Number of shown links; users find more with the filter. */
const shownMax = 300;

export function TableList(props: TableListProps) {
  const [words, setWords] = createSignal('');
  const isRedis = () => props.engine === 'redis';
  const kind = () => kindOf(props.engine);
  const title = () =>
    ({ key: dataText.keys, collection: dataText.collections, table: dataText.tables })[kind()];
  const found = createMemo(() => {
    const wanted = words().trim().toLowerCase();
    // Redis returns them unordered.
    if (isRedis()) return props.tables.toSorted((one, two) => (one.name < two.name ? -1 : 1));
    if (wanted === '') return props.tables;
    return props.tables.filter(({ name, schema }) => `${schema}.${name}`.toLowerCase().includes(wanted));
  });
  const hasSchemas = createMemo(() => new Set(props.tables.map(({ schema }) => schema)).size > 1);
  return (
    <nav class="table-list" aria-label={title()}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isRedis())
            props.onSearch({ ...keptSearch(props.search), ...(words() ? { match: words() } : {}) });
        }}
      >
        <Filter label={dataText.filterTables[kind()]} value={words()} onInput={setWords} />
        <Show when={isRedis()}>
          <label class="inline">
            <small>{dataText.logicalDatabase}</small>
            <input
              type="text"
              inputmode="numeric"
              pattern="\d{1,4}"
              value={props.search.database ?? 0}
              onChange={(event) => props.onSearch({ database: Number(event.currentTarget.value) || 0 })}
            />
          </label>
        </Show>
      </form>
      <ul>
        <For each={found().slice(0, shownMax)} fallback={<li class="quiet-text">{t.none}</li>}>
          {(table) => (
            <li>
              <a href={props.path(table)} aria-current={table.id === props.chosen ? 'page' : undefined}>
                <span class="name">
                  <Show when={hasSchemas() || isRedis()}>
                    <small>{table.schema}</small>
                  </Show>
                  {table.name}
                </span>
                {/* A string has only one value. */}
                <Show when={!isRedis() || table.schema !== 'string'}>
                  <small>{dataText.rowsShort(table.rowCount)}</small>
                </Show>
              </a>
            </li>
          )}
        </For>
      </ul>
      <Show when={props.cursor}>
        {(cursor) => (
          <Button class="small" onClick={() => props.onSearch({ ...props.search, cursor: cursor() })}>
            {dataText.moreKeys}
          </Button>
        )}
      </Show>
    </nav>
  );
}

const keptSearch = ({ database }: KeySearch): KeySearch => (database === undefined ? {} : { database });
