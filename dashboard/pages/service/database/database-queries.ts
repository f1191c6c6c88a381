/** The queries of a database's pages. */
import { keepPreviousData } from '@tanstack/solid-query';
import { api } from '../../../api/client.ts';
import { useQuery } from '../../../api/use-query.ts';
import { pageStatement, readRowsOf } from './page-statement.ts';
import type { Engine, Rows, View } from './table-types.ts';

export interface KeySearch {
  match?: string;
  database?: number;
  cursor?: string;
}

const tablesOf = (serviceId: string, search: KeySearch) => ({
  queryKey: ['tables', serviceId, search],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.call('GET /api/services/:serviceId/database/tables', {
      params: { serviceId },
      query: search,
      signal,
    }),
});

export const useTables = (serviceId: () => string, search: () => KeySearch) =>
  useQuery(() => ({ ...tablesOf(serviceId(), search()), placeholderData: keepPreviousData }));

/** The tables in the form of the data page before a search. */
export const wholeCatalogue = (serviceId: string) => tablesOf(serviceId, {});

export const useRows = (serviceId: () => string, engine: () => Engine, view: () => View | undefined) =>
  useQuery(() => ({
    queryKey: ['rows', serviceId(), view()],
    enabled: view() !== undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => readRows(serviceId(), engine(), view() as View, signal),
  }));

/** Reads one page: by the route for rows, or by a statement if it is sorted or filtered. In both cases the route returns the columns. */
async function readRows(serviceId: string, engine: Engine, view: View, signal: AbortSignal): Promise<Rows> {
  const params = { serviceId };
  const isPlain = view.sort === undefined && view.filters.length === 0;
  const query = {
    table: view.table.id,
    limit: isPlain ? view.limit : 1,
    offset: isPlain ? view.offset : 0,
  };
  const page = await api.call('GET /api/services/:serviceId/database/rows', { params, query, signal });
  if (isPlain) {
    const { columns, rows, total, ttl } = page;
    return { columns, rows, total, ttl, hasMore: view.offset + rows.length < total, isCut: false };
  }
  const sql = pageStatement(engine, view, page.columns);
  const found = await api.call('POST /api/services/:serviceId/database/query', {
    params,
    body: { sql },
    signal,
  });
  return {
    columns: page.columns,
    rows: readRowsOf(engine, page.columns, found.rows.slice(0, view.limit)),
    total: undefined,
    ttl: undefined,
    hasMore: found.rows.length > view.limit || found.truncated,
    isCut: found.truncated && found.rows.length < view.limit,
  };
}
