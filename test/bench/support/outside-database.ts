/**
 * D1 in this process instead of workerd's, so that a process time of workerd holds no SQLite: what D1's binding in workerd sends over HTTP,
 * answered from a file of Node's own SQLite. Rows read and written are not counted.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { text } from 'node:stream/consumers';

export interface OutsideDatabase {
  /** `host:port` */
  address: string;
  /** Milliseconds that statements have taken so far. */
  queryMs(): number;
  stop(): Promise<void>;
}

interface Query {
  sql: string;
  /** Bytes come as lists of numbers. */
  params?: (number | string | null | number[])[] | null;
}

/** @param file made if it does not exist */
export async function startOutsideDatabase(file: string): Promise<OutsideDatabase> {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma synchronous = off; pragma foreign_keys = on');
  let spentMs = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body: Query | Query[] = JSON.parse(await text(request));
    const from = performance.now();
    const wantsObjects = !request.url?.includes('ROWS_AND_COLUMNS');
    const results = inTransaction(database, [body].flat(), wantsObjects);
    spentMs += performance.now() - from;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(results));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    queryMs: () => spentMs,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      database.close();
    },
  };
}

function inTransaction(database: DatabaseSync, queries: Query[], wantsObjects: boolean) {
  database.exec('begin');
  try {
    const results = queries.map((query) => answerOf(database, query, wantsObjects));
    database.exec('commit');
    return results;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    const message = error instanceof Error ? error.message : String(error);
    return { success: false, error: `${message}: SQLITE_ERROR` };
  }
}

function answerOf(database: DatabaseSync, { sql, params }: Query, wantsObjects: boolean) {
  const from = performance.now();
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  const found = statement.all(...(params ?? []).map(bound)) as unknown as unknown[][];
  const rows = found.map((row) => row.map((value) => (value instanceof Uint8Array ? [...value] : value)));
  const columns = statement.columns().map(({ name }) => name);
  const changed = database.prepare('select changes() as changes, last_insert_rowid() as id').get();
  return {
    success: true,
    results: wantsObjects
      ? rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index]])))
      : { columns, rows },
    meta: {
      served_by: 'bench',
      duration: performance.now() - from,
      // As D1 says it: of this statement alone, and nothing for a read.
      changes: columns.length === 0 || /\breturning\b/i.test(sql) ? changed?.changes : 0,
      last_row_id: changed?.id,
      changed_db: true,
      size_after: 0,
      rows_read: 0,
      rows_written: 0,
    },
  };
}

const bound = (value: number | string | null | number[]): SQLInputValue =>
  Array.isArray(value) ? Uint8Array.from(value) : value;
