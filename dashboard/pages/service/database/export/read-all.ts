/** Reads all rows of the current view of a table, page by page. */
import { LongshoreError } from '../../../../../client/client.ts';
import { api } from '../../../../api/client.ts';
import { exportText } from '../imports-text.ts';
import { pageStatement, readRowsOf } from '../page-statement.ts';
import type { Column, Engine, Row, View } from '../table-types.ts';

const pageRows = 500;

interface Source {
  serviceId: string;
  engine: Engine;
  /** The filters and the order; limit and offset are set for each page. */
  view: View;
  columns: readonly Column[];
  signal: AbortSignal;
}

/**
 * The rows are not from one moment: each page is read separately, in the order of the primary key.
 * @throws LongshoreError
 * @throws RangeError with a sentence
 */
export async function* readAll(source: Source): AsyncGenerator<readonly Row[]> {
  const { view, columns } = source;
  const isPlain = view.sort === undefined && view.filters.length === 0;
  if (!isPlain && !columns.some(({ primary }) => primary)) throw new RangeError(exportText.noOrder);
  let limit = pageRows;
  for (let offset = 0; ; ) {
    const page = isPlain
      ? await plainPage(source, limit, offset)
      : await statementPage(source, limit, offset);
    if (page === 'tooLarge') {
      if (limit === 1) throw new RangeError(exportText.largeRow);
      limit = Math.ceil(limit / 4);
      continue;
    }
    if (page.rows.length > 0) yield page.rows;
    offset += page.rows.length;
    if (page.isLast) return;
  }
}

type Page = { rows: readonly Row[]; isLast: boolean } | 'tooLarge';

async function plainPage(source: Source, limit: number, offset: number): Promise<Page> {
  const { serviceId, view, signal } = source;
  try {
    const { rows } = await api.call('GET /api/services/:serviceId/database/rows', {
      params: { serviceId },
      query: { table: view.table.id, limit, offset },
      signal,
    });
    // The total of a large table is an estimate, so reading ends at a page that is not full.
    return { rows, isLast: rows.length < limit };
  } catch (error) {
    if (error instanceof LongshoreError && error.status === 400 && limit > 1) return 'tooLarge';
    throw error;
  }
}

async function statementPage(source: Source, limit: number, offset: number): Promise<Page> {
  const { serviceId, engine, view, columns, signal } = source;
  const sql = pageStatement(engine, { ...view, limit, offset }, columns);
  const found = await api.call('POST /api/services/:serviceId/database/query', {
    params: { serviceId },
    body: { sql },
    signal,
  });
  if (found.truncated && found.rows.length === 0) return 'tooLarge';
  const rows = readRowsOf(engine, columns, found.rows.slice(0, limit));
  return { rows, isLast: !found.truncated && found.rows.length <= limit };
}
