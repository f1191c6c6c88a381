/** Runs `pg_dump` and `pg_restore` in the service's container. */
import type { DataPlace } from '../../archive/archive.ts';
import { failureText } from '../../archive/run-tool.ts';
import { EngineError } from '../../engine-error.ts';
import { databaseOf, userOf } from '../client-config.ts';
import { full, isFull } from '../errors.ts';
import { connectionText } from '../replication-slot.ts';
import { withMaintenance } from './beside.ts';
import { skippedObjects } from './skipped-objects.ts';
import { sessionOptions } from './with-client.ts';

type Place = Pick<DataPlace, 'tools' | 'env' | 'signal'>;
type ClientPlace = Pick<DataPlace, 'address' | 'env' | 'signal'>;

/** The tools read these variables instead of arguments, which every process of the host can see. */
export function toolEnvironment(env: DataPlace['env'], database: string): Record<string, string> {
  return {
    PGUSER: userOf(env),
    PGPASSWORD: env.POSTGRES_PASSWORD ?? '',
    PGDATABASE: database,
    PGHOST: '127.0.0.1',
    PGOPTIONS: sessionOptions,
    LC_ALL: 'C',
  };
}

/** The number of connections that must be free before a tool uses one: with fewer, the service's clients may be faster. */
const freeMin = 10;
/** The first version that has separate places for replication. */
const placesSince = 120_000;

const placesQuery = `SELECT current_setting('max_connections')::int - count(*) FILTER (WHERE backend_type = 'client backend') < ${freeMin}
    AND current_setting('max_wal_senders')::int > count(*) FILTER (WHERE backend_type = 'walsender') AS "isFull"
  FROM pg_catalog.pg_stat_activity`;

/** True if new connections should take places for replication, since the others are nearly all in use. @throws EngineError; the signal's reason */
export const isNearlyFull = (place: ClientPlace): Promise<boolean> =>
  withMaintenance(place, async (client) => {
    const { rows } = await client.query<{ version: number }>(
      "SELECT current_setting('server_version_num')::int AS version",
    );
    if ((rows[0]?.version ?? 0) < placesSince) return false;
    return (await client.query<{ isFull: boolean }>(placesQuery)).rows[0]?.isFull ?? false;
  });

/** The option with which a tool connects to this database. @throws EngineError; the signal's reason */
export const databaseOption = async (place: ClientPlace, database: string) =>
  `--dbname=${connectionText(database, await isNearlyFull(place))}` as const;

/** @throws EngineError with the end of the tool's error output */
export function refuseFailure(tool: string, { code, stderr }: { code: number; stderr: string }): void {
  if (code === 0) return;
  if (isFull(stderr)) throw full(new Error(stderr));
  throw new EngineError(
    'unavailable',
    `${tool} ended with exit code ${code}: ${failureText({ code, stderr })}`,
  );
}

/**
 * @param options options that leave parts of the dump out
 * @param skipped if given, objects that can't be loaded are left out and added to this list
 * @throws EngineError
 */
export async function runRestore(
  { tools, address, env, signal }: Place & ClientPlace,
  database: string,
  stdin: AsyncIterable<Buffer>,
  options: readonly string[],
  skipped?: string[],
): Promise<void> {
  const target = await databaseOption({ address, env, signal }, database);
  const command = ['pg_restore', '--no-password', target, ...options];
  if (!skipped) command.push('--exit-on-error');
  const ended = await tools.run(command, { env: toolEnvironment(env, database), stdin, signal });
  if (ended.code === 1 && skipped) skipped.push(...skippedObjects(ended.stderr));
  else if (ended.code !== 0)
    throw new EngineError('unavailable', `pg_restore could not load the dump: ${failureText(ended)}`);
}

/** Reads all data in a dry run. `pg_restore --list` would only read the table of contents, and not notice a truncated dump. */
export async function checkDump({ tools, env, signal }: Place, stdin: AsyncIterable<Buffer>): Promise<void> {
  const ended = await tools.run(['pg_restore', '--file=/dev/null'], {
    env: toolEnvironment(env, databaseOf(env)),
    stdin,
    signal,
  });
  refuseFailure('pg_restore', ended);
}
