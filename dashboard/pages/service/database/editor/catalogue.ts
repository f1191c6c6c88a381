/** Tables and columns of a database for the editor, read when a statement uses them. */
import { createEffect, createMemo, createSignal } from 'solid-js';
import { createStore } from 'solid-js/store';
import { api } from '../../../../api/client.ts';
import { queries } from '../../../../api/query-client.ts';
import { wholeCatalogue } from '../database-queries.ts';
import type { Column, Table } from '../table-types.ts';
import { type Catalogue, namedTables } from './complete-statement.ts';

/** Most tables of one statement whose columns are read, because each needs a query. */
const tablesReadMax = 8;
/** How long they are cached: other people may add a table. */
const knownForMs = 30_000;

const columnsOf = (serviceId: string, table: Table) => ({
  queryKey: ['columns', serviceId, table.id],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { table: table.id, limit: 1, offset: 0 };
    const name = 'GET /api/services/:serviceId/database/rows';
    return (await api.call(name, { params: { serviceId }, query, signal })).columns;
  },
});

/**
 * Reads them without `useQuery`, because a page waits for its queries and the editor would lose the focus. Tables that can't be read are not offered.
 * @param statement the current text
 */
export function useCatalogue(serviceId: string, engine: string, statement: () => string) {
  const [tables, setTables] = createSignal<readonly Table[]>([]);
  const [columns, setColumns] = createStore<Record<string, readonly Column[]>>({});
  const use = () => {
    const asked = queries.fetchQuery({ ...wholeCatalogue(serviceId), staleTime: knownForMs });
    asked.then((answer) => setTables(answer.tables)).catch(() => {});
  };
  const named = createMemo(() => {
    if (engine === 'redis') return [];
    const found =
      engine === 'mongodb'
        ? tables().filter(({ name }) => statement().includes(`"${name}"`))
        : [...new Set(namedTables(tables(), statement()).values())];
    return found.slice(0, tablesReadMax);
  });
  createEffect(() => {
    for (const table of named()) {
      const asked = queries.fetchQuery({ ...columnsOf(serviceId, table), staleTime: knownForMs });
      asked.then((answer) => setColumns(table.id, answer)).catch(() => {});
    }
  });
  const catalogue: Catalogue = {
    engine,
    get tables() {
      return tables();
    },
    columns: (table) => columns[table.id],
  };
  return { catalogue, use };
}
