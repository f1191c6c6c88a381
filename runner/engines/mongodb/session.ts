/** Queries on one MongoDB server. */
import type { EngineAddress, EngineEnvironment, EngineSession } from '../engine.ts';
import { commandTimeoutMs, databaseOf, openClient } from './client.ts';
import { tablesOf } from './collections.ts';
import { deleteDocument, insertDocument, updateDocument } from './edit.ts';
import { changing, inOurWords } from './errors.ts';
import { runCommand } from './query.ts';
import { pageOf } from './rows.ts';

/** @throws EngineError `unavailable` when it does not answer or refuses the credentials */
export async function openSession(address: EngineAddress, env: EngineEnvironment): Promise<EngineSession> {
  const client = await openClient(address, env);
  const database = databaseOf(env);
  const asked = <T>(ask: () => Promise<T>) => inOurWords(ask, commandTimeoutMs);
  const changed = <T>(ask: () => Promise<T>) => changing(ask, commandTimeoutMs);
  return {
    tables: () => asked(() => tablesOf(client)),
    rows: (ask) => asked(() => pageOf(client, ask)),
    query: ({ text }, caps) => changed(() => runCommand(client, { text, database }, caps)),
    insert: (ask) => changed(() => insertDocument(client, ask)),
    update: (ask) => changed(() => updateDocument(client, ask)),
    delete: (ask) => changed(() => deleteDocument(client, ask)),
    close: () => client.close().catch(() => {}),
  };
}
