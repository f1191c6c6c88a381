/** Queries on one PostgreSQL server. */
import type { EngineAddress, EngineEnvironment, EngineSession } from '../engine.ts';
import { clientConfig, userOf } from './client-config.ts';
import { openConnections } from './connections.ts';
import { deleteRow, insertRow, updateRow } from './edit.ts';
import { runQuery } from './query.ts';
import { pageOf, tablesOf } from './rows.ts';

/** @throws EngineError `unavailable` when it does not answer or refuses the credentials */
export async function openSession(address: EngineAddress, env: EngineEnvironment): Promise<EngineSession> {
  const connections = openConnections(clientConfig(address, env));
  try {
    await connections.reading((client) => client.query('SELECT 1'));
  } catch (error) {
    await connections.close();
    throw error;
  }
  const user = userOf(env);
  return {
    tables: () => tablesOf(connections),
    rows: (ask) => pageOf(connections, ask),
    query: ({ text }, caps) => runQuery(connections, { text, user }, caps),
    insert: (ask) => insertRow(connections, ask),
    update: (ask) => updateRow(connections, ask),
    delete: (ask) => deleteRow(connections, ask),
    close: () => connections.close(),
  };
}
