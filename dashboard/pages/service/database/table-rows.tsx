/** The rows of one table: filter, sort, page, edit. */
import { createMemo, createSignal, For } from 'solid-js';
import { usePageCommands } from '../../../shell/commands.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { NextIcon, PlusIcon, PreviousIcon } from '../../../ui/icons.tsx';
import { Refreshed } from '../../../ui/refreshed.tsx';
import { Show } from '../../../ui/show.ts';
import { useRows } from './database-queries.ts';
import { dataText } from './database-text.ts';
import { ExportTable } from './export/export-table.tsx';
import { FilterBar } from './filter-bar.tsx';
import { Grid } from './grid.tsx';
import { exportText } from './imports-text.ts';
import { KeyExpiry } from './key-expiry.tsx';
import { canFilter } from './page-statement.ts';
import { RowForm } from './row-form.tsx';
import { addressOfTarget, keyOfColumn, type Relations, withChoices } from './schema/relations.ts';
import type { Staged } from './staged.ts';
import { type Column, type Engine, kindOf, type Row, type Rows, type Table } from './table-types.ts';
import { pageSizes, useShown } from './view-address.ts';

interface TableRowsProps {
  serviceId: string;
  engine: Engine;
  table: Table;
  /** The logical database of Redis; undefined while another one is read. */
  database: number | undefined;
  /** All tables, among them those that foreign keys name. */
  tables: readonly Table[];
  relations: Relations;
  staged: Staged;
  mayWrite: boolean;
}

export function TableRows(props: TableRowsProps) {
  const { shown, show } = useShown();
  const mayFilter = () => props.mayWrite && canFilter(props.engine);
  const view = () => ({
    table: props.table,
    limit: shown().limit,
    offset: shown().offset,
    sort: mayFilter() ? shown().sort : undefined,
    filters: mayFilter() ? shown().filters : [],
  });
  const rows = useRows(
    () => props.serviceId,
    () => props.engine,
    view,
  );
  const [isExporting, setIsExporting] = createSignal(false);
  const [opened, setOpened] = createSignal<{ row: Row | undefined }>();
  const isStream = () => props.engine === 'redis' && props.table.schema === 'stream';
  const mayEdit = (page: Rows) =>
    props.mayWrite && !isStream() && page.columns.some(({ primary }) => primary);
  const columns = createMemo(() => withChoices(rows.data?.columns ?? [], props.relations));
  const targetOf = (column: Column, row: Row) => {
    const key = keyOfColumn(props.relations, props.table, column.name);
    const address = key && addressOfTarget(props.serviceId, key, row, props.tables);
    return address === undefined ? undefined : { address, name: key?.targetTable ?? '' };
  };
  const addRow = () => dataText.addRow[kindOf(props.engine)];
  const mayInsert = () => props.mayWrite && rows.data !== undefined;
  usePageCommands(() => (mayInsert() ? [{ label: addRow(), run: () => setOpened({ row: undefined }) }] : []));
  return (
    <section class="stack" aria-label={props.table.name}>
      <header class="toolbar">
        <h2 class="table-name">{props.table.name}</h2>
        <div class="actions">
          <Refreshed query={rows} />
          <Show when={rows.data && rows.data.columns.length > 0}>
            <Button class="small" onClick={() => setIsExporting(true)}>
              {exportText.open}
            </Button>
          </Show>
          <Show when={mayInsert()}>
            <Button class="small" icon={PlusIcon} onClick={() => setOpened({ row: undefined })}>
              {addRow()}
            </Button>
          </Show>
        </div>
      </header>
      <Answer query={rows} lines={8}>
        {(page) => (
          <>
            <Show when={mayFilter()}>
              <FilterBar
                columns={page().columns}
                filters={shown().filters}
                onApply={(filters) => show({ filters })}
              />
            </Show>
            <Notes page={page()} isStream={isStream()} mayWrite={props.mayWrite} />
            <Show when={props.engine === 'redis'}>
              <KeyExpiry {...props} ttl={page().ttl ?? null} />
            </Show>
            <Grid
              engine={props.engine}
              table={props.table}
              page={{ ...page(), columns: columns() }}
              offset={shown().offset}
              staged={props.staged}
              mayEdit={mayEdit(page())}
              sort={shown().sort}
              onSort={mayFilter() ? (sort) => show({ sort }) : undefined}
              onOpen={(row) => setOpened({ row })}
              targetOf={targetOf}
            />
            <Pager page={page()} />
            <Show when={isExporting()}>
              <ExportTable
                serviceId={props.serviceId}
                engine={props.engine}
                view={view()}
                columns={page().columns}
                onClose={() => setIsExporting(false)}
              />
            </Show>
            <Show when={opened()} keyed>
              {({ row }) => (
                <RowForm
                  engine={props.engine}
                  table={props.table}
                  columns={columns()}
                  row={row}
                  staged={props.staged}
                  mayEdit={row ? mayEdit(page()) : mayInsert()}
                  onClose={() => setOpened(undefined)}
                />
              )}
            </Show>
          </>
        )}
      </Answer>
    </section>
  );
}

function Notes(props: { page: Rows; isStream: boolean; mayWrite: boolean }) {
  const hasKey = () => props.page.columns.some(({ primary }) => primary);
  return (
    <>
      <Show when={props.mayWrite && props.page.columns.length > 0 && !hasKey()}>
        <p class="quiet-text">{dataText.readOnlyTable}</p>
      </Show>
      <Show when={props.isStream}>
        <p class="quiet-text">{dataText.readOnlyEngine}</p>
      </Show>
      <Show when={props.page.isCut}>
        <p class="warning">{dataText.cut}</p>
      </Show>
    </>
  );
}

function Pager(props: { page: Rows }) {
  const { shown, show } = useShown();
  const from = () => shown().offset + 1;
  const to = () => shown().offset + props.page.rows.length;
  return (
    <Show when={props.page.rows.length > 0 || shown().offset > 0}>
      <nav class="pager" aria-label={dataText.range(from(), to(), props.page.total)}>
        <span class="quiet-text">{dataText.range(from(), to(), props.page.total)}</span>
        <label class="inline">
          <small>{dataText.pageSize}</small>
          <select
            value={shown().limit}
            onInput={(event) => show({ limit: Number(event.currentTarget.value) })}
          >
            <For each={pageSizes}>{(size) => <option value={size}>{size}</option>}</For>
          </select>
        </label>
        <Button
          class="small"
          icon={PreviousIcon}
          aria-label={dataText.previousPage}
          disabled={shown().offset === 0}
          onClick={() => show({ offset: Math.max(0, shown().offset - shown().limit) })}
        />
        <Button
          class="small"
          icon={NextIcon}
          aria-label={dataText.nextPage}
          disabled={!props.page.hasMore}
          onClick={() => show({ offset: shown().offset + shown().limit })}
        />
      </nav>
    </Show>
  );
}
