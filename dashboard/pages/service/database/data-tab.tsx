/** The data of a database: its tables, and the rows of one of them. */
import { useNavigate } from '@solidjs/router';
import { createEffect, createMemo, createSignal } from 'solid-js';
import type { Overview } from '../../../api/queries.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Show } from '../../../ui/show.ts';
import { type KeySearch, useTables } from './database-queries.ts';
import { dataText } from './database-text.ts';
import { StagedBar } from './review.tsx';
import { useRelations } from './schema/use-relations.ts';
import { createStaged } from './staged.ts';
import { TableList } from './table-list.tsx';
import { TableRows } from './table-rows.tsx';
import { type Engine, kindOf, type Table } from './table-types.ts';
import { useShown } from './view-address.ts';
import '../../../styles/database.css';

export function DataTab(props: { overview: Overview; mayWrite: boolean }) {
  const serviceId = () => props.overview.service.id;
  const [search, setSearch] = createSignal<KeySearch>({});
  const tables = useTables(serviceId, search);
  const staged = createStaged(serviceId);
  const { shown } = useShown();
  const navigate = useNavigate();
  const relations = useRelations(
    serviceId,
    () => tables.data?.engine,
    () => props.mayWrite,
  );
  const path = (table: Table) => `/services/${serviceId()}/data?table=${encodeURIComponent(table.id)}`;
  const chosen = createMemo(() => tables.data?.tables.find(({ id }) => id === shown().table));
  /** The first table, if the address names none; a key of Redis is one of very many. */
  createEffect(() => {
    const first = tables.data?.tables[0];
    if (
      shown().table === undefined &&
      first !== undefined &&
      kindOf(tables.data?.engine ?? 'redis') !== 'key'
    )
      navigate(path(first), { replace: true });
  });
  return (
    <Answer query={tables} lines={6}>
      {(data) => (
        <div class="data-room">
          <TableList
            engine={data().engine}
            tables={data().tables}
            cursor={data().cursor}
            chosen={shown().table}
            search={search()}
            onSearch={setSearch}
            path={path}
          />
          <div class="stack">
            {/* Keyed by id: a new number of rows does not make it another table. */}
            <Show
              when={chosen()?.id}
              keyed
              fallback={
                <NothingChosen
                  engine={data().engine}
                  isEmpty={data().tables.length === 0}
                  wanted={shown().table}
                />
              }
            >
              {(_) => (
                <TableRows
                  serviceId={serviceId()}
                  engine={data().engine}
                  table={chosen() as Table}
                  database={tables.isPlaceholderData ? undefined : (search().database ?? 0)}
                  staged={staged}
                  mayWrite={props.mayWrite}
                  tables={data().tables}
                  relations={relations()}
                />
              )}
            </Show>
            <StagedBar serviceId={serviceId()} staged={staged} />
          </div>
        </div>
      )}
    </Answer>
  );
}

function NothingChosen(props: { engine: Engine; isEmpty: boolean; wanted: string | undefined }) {
  const kind = () => kindOf(props.engine);
  const help = () => {
    if (props.isEmpty) return dataText.noTablesHelp[kind()];
    return props.wanted ? dataText.gone : '';
  };
  return <Empty title={(props.isEmpty ? dataText.noTables : dataText.choose)[kind()]} help={help()} />;
}
