/**
 * Imports into Redis with read-only commands that every server offers: SCAN, DUMP and the key's remaining time. If the source changes
 * during the import, each key is copied in its state at its turn.
 */
import type { Contents, DataPlace, FreshPlace } from '../../archive/archive.ts';
import { ImportRefusal } from '../../archive/import-refusal.ts';
import type { ImportSource, VolumeUrlImport } from '../../archive/url-import.ts';
import { ask, keysHeld } from '../archive/cli.ts';
import { untilServing, writeAppendOnlyFile } from '../archive/fresh-server.ts';
import { usersOf, writeUsers } from '../archive/users.ts';
import { copyDatabase } from './copy-database.ts';
import { refusedValue } from './refused-value.ts';
import { RestoreRefused } from './restore-replies.ts';
import { freshServer, type RedisServer, sourceServer } from './server.ts';
import { ServerConnection } from './server-connection.ts';
import { type Survey, survey } from './survey.ts';

/** Limits in bytes. They are raised because a value may be larger than a client's normal limit (512 MB, and 1 GB in total). */
const limits = { 'proto-max-bulk-len': String(2 ** 40), 'client-query-buffer-limit': String(2 ** 40) };

export const redisImport: VolumeUrlImport = { contents: keysHeld, fill };

async function fill(
  fresh: FreshPlace,
  from: ImportSource,
  live: DataPlace,
): Promise<{ loaded: Contents; source: Contents }> {
  const { signal } = fresh;
  try {
    const { server, database } = await sourceServer(from);
    const seen = await surveyed(server, database, signal);
    await untilServing(fresh);
    for (const [name, value] of Object.entries(limits)) await ask(fresh, 'CONFIG', 'SET', name, value);
    await copyFunctions(fresh, seen);
    const copied = await copyAll(fresh, server, seen);
    await writeAppendOnlyFile(fresh);
    await writeUsers(fresh, await usersOf(live));
    return copied;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

async function surveyed(server: RedisServer, only: number | null, signal: AbortSignal): Promise<Survey> {
  const connection = await ServerConnection.open(server, only ?? 0, signal);
  try {
    return await survey(connection, only);
  } finally {
    connection.close();
  }
}

/** Functions belong to the server, not to one of its databases. */
async function copyFunctions(fresh: FreshPlace, { functions }: Survey): Promise<void> {
  if (!functions) return;
  const connection = await ServerConnection.open(freshServer(fresh), 0, fresh.signal);
  try {
    const said = await connection.call('FUNCTION', 'RESTORE', functions);
    if (said.type !== 'error') return;
    throw new ImportRefusal(
      `This database does not accept the functions of the source (${said.value}): delete them there, or deploy it with an image of the source's version.`,
    );
  } finally {
    connection.close();
  }
}

async function copyAll(fresh: FreshPlace, source: RedisServer, { databases, expiry, version }: Survey) {
  const total = databases.reduce((sum, { keys }) => sum + keys, 0);
  const held = { tables: 0, rows: 0 };
  const loaded = { tables: 0, rows: 0 };
  for (const { database } of databases) {
    const before = held.rows;
    const progress = (restored: number) =>
      fresh.progress({ done: Math.min(before + restored, total), total, unit: 'keys' });
    const { signal } = fresh;
    const copied = await copyDatabase({
      ...{ source, fresh: freshServer(fresh), database, expiry, signal, progress },
    }).catch(async (error: unknown) => {
      if (!(error instanceof RestoreRefused)) throw error;
      throw await refusedValue(error, { source, fresh, database, version });
    });
    add(held, copied.source);
    add(loaded, copied.loaded);
  }
  return { source: held, loaded };
}

function add(contents: Contents, keys: number): void {
  contents.rows += keys;
  if (keys > 0) contents.tables += 1;
}
