/** Lists the tables, and the rows of one table. */
import { ClickHouseError } from '@clickhouse/client';
import type { DatabaseAnswerOf, DatabaseAskOf } from '../../../protocol/database.ts';
import { ConcurrencyLimit } from '../concurrency-limit.ts';
import { EngineError } from '../engine-error.ts';
import { checkReadable, columnsOf, findTable, listTables, readOnly, type Table, tableId } from './catalog.ts';
import type { Connection } from './connection.ts';
import { isLocalEngine, isMergeTree } from './local-engines.ts';

/** Counts above this are estimated. */
const exactMax = 100_000;
/** The limit for counting a view. For a slower or larger view, the count is a lower bound. */
const countTimeoutMs = 2_000;
/** Fewer than the connections, so that other queries can run. */
const countsAtOnce = 3;
/** The limit for all counts of a list together. Tables that are not counted by then show the server's own count, or 0. */
const listTimeoutMs = 10_000;
/** The counts that these engines keep are exact, except for rows of lightweight deletes. */
const countsRows = /MergeTree$|^(?:Memory|Log|TinyLog|StripeLog)$/;

export async function tablesOf(connection: Connection): Promise<DatabaseAnswerOf<'tables'>> {
  const tables = await listTables(connection);
  const deadline = Date.now() + listTimeoutMs;
  const countLimit = new ConcurrencyLimit(countsAtOnce);
  const counts = await Promise.all(
    tables.map((table) => countLimit.run(() => countOrNone(connection, table, deadline))),
  );
  return {
    tables: tables.map((table, place) => ({
      id: tableId(table),
      name: table.name,
      schema: table.database,
      rowCount: counts[place] ?? 0,
    })),
  };
}

export async function pageOf(
  connection: Connection,
  { table: id, limit, offset }: DatabaseAskOf<'rows'>,
): Promise<DatabaseAnswerOf<'rows'>> {
  const table = await findTable(connection, id);
  checkReadable(table);
  const [columns, page, total] = await Promise.all([
    columnsOf(connection, table),
    connection.ask({
      text: `SELECT * FROM {database:Identifier}.{name:Identifier}${orderOf(table)} LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
      params: { database: table.database, name: table.name, limit, offset },
      settings: {
        ...readOnly,
        asterisk_include_materialized_columns: 1,
        asterisk_include_alias_columns: 1,
        // Reads rows in the order of writing, if there is no key.
        ...(table.sortingKey === '' && { max_threads: 1 }),
      },
    }),
    countOrNone(connection, table),
  ]);
  const primary = new Set(columns.filter((column) => column.primary).map(({ name }) => name));
  return {
    columns: page.columns.map((column) => ({ ...column, primary: primary.has(column.name) })),
    rows: page.rows.map((values) =>
      Object.fromEntries(page.columns.map(({ name }, place) => [name, values[place] ?? null])),
    ),
    total: page.rows.length === 0 ? total : Math.max(total, offset + page.rows.length),
  };
}

/** The order by the key, in the server's own form; rows with the same key by their position. */
function orderOf({ engine, sortingKey }: Table): string {
  if (!isMergeTree(engine)) return '';
  return ` ORDER BY ${[sortingKey, '_part', '_part_offset'].filter(Boolean).join(', ')}`;
}

/** A table that can't be counted, such as a view of a dropped table, counts as 0 and doesn't stop the list. */
async function countOrNone(
  connection: Connection,
  table: Table,
  deadline = Number.POSITIVE_INFINITY,
): Promise<number> {
  if (!isLocalEngine(table.engine)) return 0;
  try {
    return await count(connection, table, deadline);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    // A dictionary whose source refuses its password causes the error of a refused login, although the server answered.
    if (error.code === 'unavailable' && !(error.cause instanceof ClickHouseError)) throw error;
    return 0;
  }
}

async function count(
  connection: Connection,
  { database, name, ...table }: Table,
  deadline: number,
): Promise<number> {
  const { engine, storedRowCount, hasDeleted } = table;
  if (storedRowCount !== null && countsRows.test(engine) && (!hasDeleted || storedRowCount > exactMax))
    return storedRowCount;
  if (Date.now() > deadline) return storedRowCount ?? 0;
  const { rows } = await connection.ask({
    text: `SELECT count() FROM (SELECT 1 FROM {database:Identifier}.{name:Identifier} LIMIT ${exactMax + 1})`,
    params: { database, name },
    settings: readOnly,
    timeoutMs: countTimeoutMs,
  });
  return Number(rows[0]?.[0] ?? 0);
}
