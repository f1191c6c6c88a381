/** Queries on one ClickHouse server. */
import type { EngineAddress, EngineEnvironment, EngineSession } from '../engine.ts';
import { openConnection } from './connection.ts';
import { deleteRow, insertRow, updateRow } from './edit.ts';
import { runQuery } from './query.ts';
import { pageOf, tablesOf } from './rows.ts';

/** @throws EngineError `unavailable` when it does not answer or refuses the credentials */
export async function openSession(address: EngineAddress, env: EngineEnvironment): Promise<EngineSession> {
  const connection = openConnection(address, env);
  try {
    await connection.ask({ text: 'SELECT 1' });
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    tables: () => tablesOf(connection),
    rows: (ask) => pageOf(connection, ask),
    query: ({ text }, caps) => runQuery(connection, text, caps),
    insert: (ask) => insertRow(connection, ask),
    update: (ask) => updateRow(connection, ask),
    delete: (ask) => deleteRow(connection, ask),
    close: () => connection.close(),
  };
}
