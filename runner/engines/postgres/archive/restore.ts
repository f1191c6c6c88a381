/**
 * Loads a dump into a new database beside the live one. The swap is two renames in one transaction. The database names alone tell which one
 * is live, so a restarted runner knows, too.
 */
import type pg from 'pg';
import type { ArchiveFile, DataPlace, LoadedData, RestoreNames } from '../../archive/archive.ts';
import { piecesWithProgress } from '../../archive/read-with-progress.ts';
import { retryCleanup } from '../../archive/retry-cleanup.ts';
import { EngineError } from '../../engine-error.ts';
import { databaseOf } from '../client-config.ts';
import { countAll, refuseFailure, toolEnvironment } from './dump.ts';
import { withClient } from './with-client.ts';

/** The steps of a restore that differ between PostgreSQL and an extension that must be told about it. */
export interface RestoreHooks {
  beforeLoad?(client: pg.Client): Promise<void>;
  afterLoad?(client: pg.Client): Promise<void>;
  /** Runs in the live database, before its sessions are ended. */
  beforeSwap?(client: pg.Client): Promise<void>;
}

/** Sessions that reconnect during the swap are ended again. */
const swapTries = 5;

const freshPrefix = 'longshore_restore_';

const namesOf = (place: Pick<DataPlace, 'env'>, { suffix }: RestoreNames) => ({
  live: databaseOf(place.env),
  fresh: `${freshPrefix}${suffix}`,
  old: `longshore_before_${suffix}`,
});

/** The database from which the renames are done: nobody can rename the database that they are connected to. */
const maintenance = (live: string) => (live === 'postgres' ? 'template1' : 'postgres');

export function load(
  place: DataPlace,
  file: ArchiveFile,
  { isOther, ...names }: RestoreNames & { isOther: boolean },
  hooks: RestoreHooks,
): Promise<LoadedData> {
  const strangers = isOther ? ['--no-owner', '--no-privileges'] : [];
  return loadWith(place, names, hooks, (fresh) => runRestore(place, fresh, file, strangers));
}

/** @param fill puts the data into the new database, whose name it gets */
export async function loadWith(
  place: DataPlace,
  names: RestoreNames,
  hooks: RestoreHooks,
  fill: (fresh: string) => Promise<void>,
): Promise<LoadedData> {
  const { live, fresh } = namesOf(place, names);
  const discard = () =>
    retryCleanup(
      () => withMaintenance(unstopped(place), live, (client) => dropDatabase(client, fresh)),
      place.signal,
    );
  try {
    await withMaintenance(place, live, async (client) => {
      await dropLeftOver(client, live);
      await createAlike(client, live, fresh);
    });
    await withClient(place, fresh, async (client) => hooks.beforeLoad?.(client));
    await fill(fresh);
    await withClient(place, fresh, async (client) => hooks.afterLoad?.(client));
  } catch (error) {
    await discard().catch(() => {});
    throw error;
  }
  return {
    contents: () => withClient(place, fresh, countAll),
    swap: () => swap(place, names, hooks),
    discard,
  };
}

/** @see RestoreNames: the names tell how far the restore got */
export async function recover(place: DataPlace, names: RestoreNames): Promise<'swapped' | 'untouched'> {
  const { live, fresh, old } = namesOf(place, names);
  return withMaintenance(place, live, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'SELECT datname AS name FROM pg_database WHERE datname = ANY($1)',
      [[fresh, old]],
    );
    if (rows.some(({ name }) => name === old)) return 'swapped';
    await allowConnections(client, live, true);
    await dropDatabase(client, fresh);
    return 'untouched';
  });
}

export function removeOld(place: DataPlace, names: RestoreNames): Promise<void> {
  const { live, old } = namesOf(place, names);
  return withMaintenance(place, live, (client) => dropDatabase(client, old));
}

async function swap(place: DataPlace, names: RestoreNames, hooks: RestoreHooks): Promise<void> {
  const { live, fresh, old } = namesOf(place, names);
  // Once the swap is permitted, nothing stops it: it must not end halfway.
  const committed = unstopped(place);
  await withClient(committed, undefined, async (client) => hooks.beforeSwap?.(client));
  await withMaintenance(committed, live, async (client) => {
    await allowConnections(client, live, false);
    try {
      await untilAlone(client, [live, fresh], () => exchange(client, { live, fresh, old }));
    } finally {
      // Whichever database has the name now: the live one again, or the restored one, which was never closed.
      await allowConnections(client, live, true);
    }
  });
}

async function exchange(
  client: pg.Client,
  { live, fresh, old }: { live: string; fresh: string; old: string },
) {
  const name = (text: string) => client.escapeIdentifier(text);
  await client.query('BEGIN');
  try {
    await client.query(`ALTER DATABASE ${name(live)} RENAME TO ${name(old)}`);
    await client.query(`ALTER DATABASE ${name(fresh)} RENAME TO ${name(live)}`);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** A rename waits 5 s for sessions to end and then fails (55006). So sessions are ended first, and again when some have reconnected. */
async function untilAlone(client: pg.Client, databases: string[], work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ANY($1) AND pid <> pg_backend_pid()',
      [databases],
    );
    try {
      return await work();
    } catch (error) {
      const inUse = error instanceof Error && 'code' in error && error.code === '55006';
      if (!inUse || tries === swapTries) throw error;
    }
  }
}

/** Uses the encoding, locale, owner and settings of the live database. */
async function createAlike(client: pg.Client, live: string, fresh: string): Promise<void> {
  const { rows } = await client.query<{
    encoding: string;
    collate: string;
    ctype: string;
    owner: string;
    settings: string[];
  }>(
    `SELECT pg_encoding_to_char(d.encoding) AS encoding, d.datcollate AS collate, d.datctype AS ctype,
        pg_get_userbyid(d.datdba) AS owner, coalesce(s.setconfig, '{}') AS settings
      FROM pg_database d LEFT JOIN pg_db_role_setting s ON s.setdatabase = d.oid AND s.setrole = 0
      WHERE d.datname = $1`,
    [live],
  );
  const [alike] = rows;
  if (!alike)
    throw new EngineError('not_found', 'The database of this service is not in its server any more.');
  const name = client.escapeIdentifier(fresh);
  const text = (value: string) => client.escapeLiteral(value);
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING ${text(alike.encoding)}
    LC_COLLATE ${text(alike.collate)} LC_CTYPE ${text(alike.ctype)} OWNER ${client.escapeIdentifier(alike.owner)}`);
  for (const setting of alike.settings) {
    const at = setting.indexOf('=');
    const key = client.escapeIdentifier(setting.slice(0, at));
    await client.query(`ALTER DATABASE ${name} SET ${key} TO ${text(setting.slice(at + 1))}`);
  }
}

/** @param leftOut options that leave parts of the dump out */
export async function runRestore(
  place: DataPlace,
  database: string,
  file: ArchiveFile,
  leftOut: readonly string[],
): Promise<void> {
  const { tools, env, signal } = place;
  const stdin = piecesWithProgress(file, place);
  const command = ['pg_restore', '--exit-on-error', '--no-password', `--dbname=${database}`, ...leftOut];
  const ended = await tools.run(command, { env: toolEnvironment(env, database), stdin, signal });
  if (ended.code !== 0)
    throw new EngineError(
      'unavailable',
      `pg_restore could not load the dump: ${ended.stderr || silentEnd(ended.code)}`,
    );
}

/** A tool is killed when its container stops. */
const silentEnd = (code: number) =>
  `it ended without a word (exit code ${code}), as when the database is stopped or its memory is full.`;

/** Reads all data in a dry run. `pg_restore --list` would only read the table of contents, and not notice a truncated dump. */
export async function check({ tools, env, signal }: DataPlace, file: ArchiveFile): Promise<void> {
  const ended = await tools.run(['pg_restore', '--file=/dev/null'], {
    env: toolEnvironment(env, databaseOf(env)),
    stdin: file.pieces(),
    signal,
  });
  refuseFailure('pg_restore', ended);
}

const allowConnections = (client: pg.Client, database: string, allowed: boolean) =>
  client.query(`ALTER DATABASE ${client.escapeIdentifier(database)} ALLOW_CONNECTIONS ${allowed}`);

async function dropDatabase(client: pg.Client, database: string): Promise<void> {
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
    [database],
  );
  await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(database)}`);
}

/** Drops what earlier attempts could not clean up because the server was down. A service runs only one restore or import at a time. */
async function dropLeftOver(client: pg.Client, live: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1) AND datname <> $2',
    [freshPrefix, live],
  );
  for (const { name } of rows) await dropDatabase(client, name);
}

const withMaintenance = <T>(
  place: Pick<DataPlace, 'address' | 'env' | 'signal'>,
  live: string,
  use: (client: pg.Client) => Promise<T>,
) => withClient(place, maintenance(live), use);

/** For work that must finish although the job is stopped. */
const unstopped = (place: DataPlace): DataPlace => ({ ...place, signal: new AbortController().signal });
