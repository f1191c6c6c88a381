/** Queries on one MySQL server. Each query has its own connection. */

import type { DatabaseAnswerOf } from '../../../protocol/database.ts';
import { ConcurrencyLimit } from '../concurrency-limit.ts';
import type { EngineAddress, EngineSession, QueryCaps } from '../engine.ts';
import { distinctNames, rowsWithin } from '../row.ts';
import { deleteRow, insertRow, updateRow } from './edit.ts';
import { MysqlConnection, type MysqlLogin } from './mysql-connection.ts';
import { refuseStatement } from './refused-statement.ts';
import { pageOf, tablesOf } from './rows.ts';
import { decodedRow, typeName } from './values.ts';

/** The number of parallel queries; others wait. One extra connection may be opened briefly to kill a slow statement. */
const connectionsMax = 4;
/** The time limit of every request except queries, which have their own caps. */
const answerMs = 15_000;

/** @throws EngineError `unavailable` when MySQL does not answer or refuses the credentials */
export async function openMysqlSession(address: EngineAddress, login: MysqlLogin): Promise<EngineSession> {
  const connectionLimit = new ConcurrencyLimit(connectionsMax);

  function use<T>(
    work: (connection: MysqlConnection) => Promise<T>,
    { timeoutMs, readOnly }: { timeoutMs: number; readOnly: boolean },
  ): Promise<T> {
    return connectionLimit.run(async () => {
      const connection = await MysqlConnection.open({ address, login, timeoutMs, readOnly });
      try {
        return await work(connection);
      } finally {
        connection.close();
      }
    });
  }
  const reading = { timeoutMs: answerMs, readOnly: true };
  const changing = { timeoutMs: answerMs, readOnly: false };

  await use(async (connection) => void (await connection.run('SELECT 1')), reading);
  return {
    tables: async () => use(tablesOf, reading),
    rows: async (ask) => use((connection) => pageOf(connection, ask), reading),
    query: async ({ text }, caps) => {
      refuseStatement(text, login.database);
      const limits = { timeoutMs: caps.timeoutMs, readOnly: false };
      return use((connection) => runQuery(connection, text, caps), limits);
    },
    insert: async (ask) => use((connection) => insertRow(connection, ask), changing),
    update: async (ask) => use((connection) => updateRow(connection, ask), changing),
    delete: async (ask) => use((connection) => deleteRow(connection, ask), changing),
    close: async () => connectionLimit.close(),
  };
}

/**
 * Runs a statement that the user wrote.
 * As with the other engines, `rowCount` of a change is the number of rows that matched, even if their values did not change.
 */
async function runQuery(
  connection: MysqlConnection,
  text: string,
  caps: QueryCaps,
): Promise<DatabaseAnswerOf<'query'>> {
  const { fields, rows, affectedRows, truncated } = await connection.capped(text, caps);
  const names = distinctNames(fields.map(({ name }) => name));
  const shown = rowsWithin(
    rows.map((row) => decodedRow(fields, row, names)),
    caps.bytesMax,
  );
  return {
    columns: fields.map((field, at) => ({ name: names[at] ?? field.name, type: typeName(field) })),
    rows: shown,
    rowCount: fields.length > 0 ? shown.length : affectedRows,
    truncated: truncated || shown.length < rows.length,
  };
}
