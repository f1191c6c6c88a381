/** Saves a server: its roles, and each database with `pg_dump` in the custom format. Rows are counted in the dump's own snapshot. */
import type { Writable } from 'node:stream';
import type pg from 'pg';
import type { Contents, DataPlace, DumpedContents } from '../../archive/archive.ts';
import { TarWriter } from '../../archive/tar-file.ts';
import { EngineError } from '../../engine-error.ts';
import { userOf } from '../client-config.ts';
import { withMaintenance } from './beside.ts';
import { chooseDatabases } from './choose-databases.ts';
import { countAll } from './count.ts';
import { readDatabases } from './database-facts.ts';
import { readExtensions } from './extensions.ts';
import { findLeftOut } from './left-out/find-left-out.ts';
import {
  countsName,
  dumpFolder,
  globalsName,
  type Manifest,
  manifestName,
  type SavedDatabase,
  sumOf,
} from './manifest.ts';
import { globalsText, readRoles } from './roles.ts';
import { databaseOption, isNearlyFull, refuseFailure, toolEnvironment } from './tools.ts';
import { withClient, withClients } from './with-client.ts';

/** The first version with zstd, which is both the smallest and the fastest: 1 GB takes 9 s, against 18 s with gzip. */
const zstdSince = 160_000;
/** If a table stays locked for longer, the backup fails. Otherwise it would hang until someone aborts it. */
const lockWaitDefaultMs = 120_000;
/** The number of databases that are read from snapshots of the same moment. Each needs a connection. */
const snapshotsMax = 16;
/** The same, if the connections are places for replication, of which there are 10 by default. */
const placesMax = 4;

export async function dump(
  place: DataPlace,
  sink: Writable,
  { lockWaitMs = lockWaitDefaultMs } = {},
): Promise<DumpedContents> {
  const { manifest, bytes, ...searched } = await readServer(place);
  const tar = new TarWriter(sink, place.signal);
  const watched = watch(place, sink, bytes);
  const stop = new AbortController();
  const beside = { ...place, signal: AbortSignal.any([place.signal, stop.signal]) };
  const looking = findLeftOut(beside, { manifest, ...searched });
  looking.catch(() => {}); // awaited after the dump
  try {
    await tar.add(manifestName, json(manifest));
    await tar.add(globalsName, Buffer.from(globalsText(manifest.roles)));
    const counts = await dumpAll({ place, tar, manifest, lockWaitMs });
    await tar.add(countsName, json(counts));
    await tar.end();
    return { ...sumOf(counts), notKept: await looking };
  } catch (error) {
    tar.destroy();
    throw error;
  } finally {
    stop.abort();
    watched.stop();
  }
}

async function readServer(place: DataPlace) {
  const { version, bytes, facts, template, ...roles } = await withMaintenance(place, async (client) => {
    const { rows } = await client.query<{ version: number; bytes: string }>(
      `SELECT current_setting('server_version_num')::int AS version,
        (SELECT sum(pg_database_size(oid)) FROM pg_database WHERE datallowconn) AS bytes`,
    );
    const [{ version = 0, bytes = '0' } = {}] = rows;
    const facts = await readDatabases(client);
    const template = await readExtensions(client);
    return { version, bytes: Number(bytes), facts, template, ...(await readRoles(client)) };
  });
  const manifest: Manifest = {
    ...{ format: 'longshore-postgres-1', serverVersion: version, user: userOf(place.env) },
    ...{ databases: await chooseDatabases(place, facts, template), roles: roles.roles },
  };
  const all = facts.map(({ name }) => name);
  return { manifest, bytes, all, withoutPassword: roles.withoutPassword };
}

interface Dumping {
  place: DataPlace;
  tar: TarWriter;
  manifest: Manifest;
  lockWaitMs: number;
}

async function dumpAll(dumping: Dumping): Promise<Contents[]> {
  const { place, manifest } = dumping;
  const counts: Contents[] = [];
  const atOnce = (await isNearlyFull(place)) ? placesMax : snapshotsMax;
  for (let from = 0; from < manifest.databases.length; from += atOnce) {
    const together = manifest.databases.slice(from, from + atOnce);
    await withClients(
      place,
      together.map(({ name }) => name),
      async (clients) => {
        const snapshots = await Promise.all(clients.map((client) => snapshotOf(client, dumping.lockWaitMs)));
        for (const [at, database] of together.entries()) {
          const reader = { client: clients[at] as pg.Client, snapshot: snapshots[at] ?? '' };
          const dumped = dumpOne(dumping, database, from + at, reader);
          counts.push(
            await dumped.catch(async (error) =>
              Promise.reject(await withLockHolders(place, database.name, error)),
            ),
          );
        }
      },
    );
  }
  return counts;
}

async function snapshotOf(client: pg.Client, lockWaitMs: number): Promise<string> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(`SET LOCAL lock_timeout = ${lockWaitMs}`);
  const { rows } = await client.query<{ snapshot: string }>('SELECT pg_export_snapshot() AS snapshot');
  return rows[0]?.snapshot ?? '';
}

async function dumpOne(
  { place, tar, manifest, lockWaitMs }: Dumping,
  database: SavedDatabase,
  index: number,
  { client, snapshot }: { client: pg.Client; snapshot: string },
): Promise<Contents> {
  const { tools, env, signal } = place;
  const command = [
    ...['pg_dump', '--format=custom', '--no-password', `--snapshot=${snapshot}`],
    await databaseOption(place, database.name),
    `--compress=${manifest.serverVersion >= zstdSince ? 'zstd:1' : '1'}`,
    `--lock-wait-timeout=${lockWaitMs}`,
    `--encoding=${database.encoding}`, // a setting of the database may differ
  ];
  const stdout = tar.folder(dumpFolder(database, index));
  const written = new Promise<void>((resolve, reject) => {
    stdout.once('finish', resolve);
    stdout.once('error', reject);
  });
  written.catch(() => {}); // a dump that fails may never end its output
  const counting = countAll(client);
  const refused = counting.then(
    () => undefined,
    (error: Error) =>
      new EngineError('unavailable', `The rows could not be counted: ${error.message}.`, { cause: error }),
  );
  const ended = await tools.run(command, { env: toolEnvironment(env, database.name), stdout, signal });
  // A failing count ends the snapshot, and so the dump fails, too. Then the count's error is the reason.
  const reason = ended.code === 0 ? undefined : await Promise.race([refused, undefined]);
  if (reason) throw reason;
  refuseFailure('pg_dump', ended);
  await written;
  return counting;
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value, null, 1));

/** Reports the written size from time to time. The final size is not known beforehand; the databases' size is only an estimate. */
function watch({ progress }: DataPlace, sink: Writable & { sizeBytes?: number }, databaseBytes: number) {
  const timer = setInterval(() => {
    const done = sink.sizeBytes ?? 0;
    progress({ done, total: Math.max(done, databaseBytes), unit: 'bytes' });
  }, 2_000);
  return { stop: () => clearInterval(timer) };
}

const queryCharsMax = 200;

/** @returns the error with the sessions that lock tables of this database, if it is about a lock */
async function withLockHolders(place: DataPlace, database: string, error: unknown): Promise<unknown> {
  if (!(error instanceof EngineError) || !/LOCK TABLE|lock timeout/.test(error.message)) return error;
  const holders = await readHolders(place, database).catch(() => []);
  if (holders.length === 0) return error;
  return new EngineError(
    'unavailable',
    `A table of the database ${database} stayed locked. ${holders.join(' ')} End the transaction, or call pg_terminate_backend with the process id.`,
    { cause: error },
  );
}

/** Only an ACCESS EXCLUSIVE lock keeps a dump from reading. */
function readHolders(place: DataPlace, database: string): Promise<string[]> {
  return withClient(place, database, async (client) => {
    const { rows } = await client.query<Record<'table' | 'pid' | 'user' | 'state' | 'query', string>>(
      `SELECT l.relation::regclass::text AS table, a.pid, a.usename AS user, a.state, left(a.query, $1) AS query
        FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE l.mode = 'AccessExclusiveLock' AND l.granted AND l.locktype = 'relation'
          AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 5`,
      [queryCharsMax],
    );
    return rows.map(
      ({ table, pid, user, state, query }) =>
        `The process ${pid} of the user ${user} (${state}) holds ${table}; its last statement: ${query}.`,
    );
  });
}
