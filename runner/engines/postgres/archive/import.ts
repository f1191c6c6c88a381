/**
 * Import of PostgreSQL and TimescaleDB: pipes `pg_dump` of the source into `pg_restore` of a new database. Both run in the container of the
 * service's database.
 */
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Contents, DataPlace } from '../../archive/archive.ts';
import { ImportRefusal } from '../../archive/import-refusal.ts';
import { runTool } from '../../archive/run-tool.ts';
import type { InPlaceUrlImport } from '../../archive/url-import.ts';
import { EngineError } from '../../engine-error.ts';
import { countAll } from './count.ts';
import { loadOne } from './load.ts';
import type { RestoreHooks } from './plan.ts';
import { skippedObjects } from './skipped-objects.ts';
import { lockWaitMs, type OpenSource, withSource } from './source.ts';
import { refuseFailure, toolEnvironment } from './tools.ts';
import { withClient } from './with-client.ts';

const progressEveryMs = 2_000;
/** The time in which one program notices the failure of the other and exits. */
const shadowMs = 2_000;
/** The time to remove a pipe after use; nothing depends on it. */
const removalMs = 10_000;

export function importWith(hooks: RestoreHooks): InPlaceUrlImport {
  return {
    contents: (place) => withClient(place, undefined, countAll),
    load: (place, from, names, { continueOnError = false } = {}) =>
      withSource(from, place.signal, async (source) => {
        await refuseNewer(place, source.client);
        await refuseExtensions(place, source.client);
        let held: Contents = { tables: 0, rows: 0 };
        const skipped: string[] | undefined = continueOnError ? [] : undefined;
        const loaded = await loadOne(place, names, hooks, async (fresh) => {
          held = await copy(place, source, { fresh, skipped });
        });
        return { ...loaded, source: held, ...(skipped && { skipped }) };
      }),
  };
}

interface CopyTarget {
  /** The new database. */
  fresh: string;
  /** If given, objects that can't be loaded are left out and added to this list. */
  skipped: string[] | undefined;
}

/** Counts the rows during the copy, in the same snapshot. */
async function copy(
  place: DataPlace,
  { client, environment }: OpenSource,
  { fresh, skipped }: CopyTarget,
): Promise<Contents> {
  const { rows } = await client.query<{ snapshot: string }>('SELECT pg_export_snapshot() AS snapshot');
  let total: number | null = null;
  const counting = countAll(client).then((contents) => {
    total = contents.rows;
    return contents;
  });
  const watched = watch(place, fresh, () => total);
  const dump = dumpCommand(rows[0]?.snapshot ?? '');
  try {
    const [contents] = await Promise.all([counting, pump(place, { dump, environment, fresh, skipped })]);
    return contents;
  } finally {
    counting.catch(() => {}); // if the copy fails, the connection is closed during this query
    await watched.stop();
  }
}

/**
 * Leaves out all references to other servers, roles or directories. `pg_dump` turns off the time limits of its session, so it gets its own
 * here.
 * @see lockWaitMs
 */
const dumpCommand = (snapshot: string) => [
  ...['pg_dump', '--format=custom', '--compress=0', '--no-password', `--snapshot=${snapshot}`],
  ...['--no-owner', '--no-privileges', '--no-tablespaces', '--no-subscriptions', '--no-security-labels'],
  `--lock-wait-timeout=${lockWaitMs}`,
  // A source that disappears silently is noticed within two minutes.
  '--dbname=keepalives_idle=30 keepalives_interval=10 keepalives_count=9',
];

/**
 * Connects the two programs with a named pipe in their container, so no byte passes through the runner. When both fail, one failure is the
 * consequence of the other.
 */
async function pump(
  place: DataPlace,
  { dump, environment, fresh, skipped }: CopyTarget & { dump: string[]; environment: Record<string, string> },
): Promise<void> {
  const { tools, env, signal } = place;
  const pipe = `/tmp/${fresh}`;
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  /** @returns the program's failure */
  const end = async (tool: string, running: ReturnType<typeof tools.run>) => {
    try {
      const ended = await running;
      if (skipped && tool === 'pg_restore' && ended.code === 1) skipped.push(...skippedObjects(ended.stderr));
      else refuseFailure(tool, ended);
    } catch (error) {
      // The other program exits by itself, unless it waits for someone to open the pipe.
      setTimeout(() => stop.abort(), shadowMs).unref();
      return error;
    }
  };
  const restore = ['pg_restore', '--no-password', '--no-owner', '--no-privileges'];
  if (!skipped) restore.push('--exit-on-error');
  const own = toolEnvironment(env, fresh);
  try {
    await runTool(place, ['mkfifo', '-m', '600', pipe]); // the name is only used by this import
    const [dumped, restored] = await Promise.all([
      end(
        'pg_dump',
        tools.run([...dump, '--no-sync', `--file=${pipe}`], { env: environment, signal: either }),
      ),
      end(
        'pg_restore',
        tools.run([...restore, `--dbname=${fresh}`], { env: own, stdinFile: pipe, signal: either }),
      ),
    ]);
    signal.throwIfAborted();
    const isShadow = restored instanceof EngineError && /broken pipe/i.test(String(dumped));
    const reported = isShadow || !(dumped instanceof EngineError) ? (restored ?? dumped) : dumped;
    if (reported !== undefined) throw reported;
  } finally {
    // The removal is not awaited: each run of a program takes a twentieth of a second.
    void runTool({ tools, signal: AbortSignal.timeout(removalMs) }, ['rm', '-f', pipe]).catch(() => {});
  }
}

/** `pg_dump` must be at least as new as the source's server. https://www.postgresql.org/docs/17/app-pgdump.html, "Notes" */
async function refuseNewer({ tools, signal }: DataPlace, client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server: string; version: string }>(
    "SELECT current_setting('server_version') AS server, current_setting('server_version_num') AS version",
  );
  let reported = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      reported += String(chunk);
      done();
    },
  });
  refuseFailure('pg_dump', await tools.run(['pg_dump', '--version'], { stdout, signal }));
  const own = /(\d+)(\.\d+)?/.exec(reported)?.[0] ?? '';
  const [{ server, version } = { server: '', version: '0' }] = rows;
  if (Math.floor(Number(version) / 10_000) <= Number.parseInt(own, 10)) return;
  throw new ImportRefusal(
    `The source runs PostgreSQL ${server}, and this database ${own}: only a server of the same or a later major version can load its data.`,
  );
}

/** Reports all missing extensions at once, before any data is copied. */
async function refuseExtensions(place: DataPlace, client: pg.Client): Promise<void> {
  const { rows: used } = await client.query<{ name: string; version: string }>(
    'SELECT extname AS name, extversion AS version FROM pg_extension ORDER BY 1',
  );
  const known = await withClient(place, undefined, async (own) => {
    const { rows } = await own.query<{ name: string; version: string }>(
      'SELECT name, default_version AS version FROM pg_available_extensions',
    );
    return new Map(rows.map(({ name, version }) => [name, version]));
  });
  const missing = used.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (missing.length > 0)
    throw new ImportRefusal(
      `The source uses extensions that this database does not have: ${missing.join(', ')}. Drop them there, or use another image.`,
    );
  // TimescaleDB's catalog is part of the data: https://docs.timescale.com/self-hosted/latest/migration/entire-database/
  const timescale = used.find(({ name }) => name === 'timescaledb');
  const own = known.get('timescaledb');
  if (timescale && timescale.version !== own)
    throw new ImportRefusal(
      `The source runs TimescaleDB ${timescale.version}, and this database ${own}: update one of them first.`,
    );
}

/** Reports the number of rows that have arrived, counted by the target server: those of finished tables and of tables being copied. */
function watch(place: DataPlace, fresh: string, totalNow: () => number | null) {
  const stopped = new AbortController();
  const signal = AbortSignal.any([place.signal, stopped.signal]);
  const text = `SELECT (SELECT coalesce(sum(n_tup_ins), 0) FROM pg_stat_user_tables)
    + (SELECT coalesce(sum(tuples_processed), 0) FROM pg_stat_progress_copy WHERE datname = current_database()) AS done`;
  const watching = withClient({ ...place, signal }, fresh, async (client) => {
    for (;;) {
      const { rows } = await client.query<{ done: string }>(text);
      const total = totalNow();
      const done = Number(rows[0]?.done ?? 0);
      place.progress({ done: total === null ? done : Math.min(done, total), total, unit: 'rows' });
      await delay(progressEveryMs, undefined, { signal });
    }
  }).catch(() => {}); // an error in a progress report must not fail the import
  return {
    async stop() {
      stopped.abort();
      await watching;
    },
  };
}
