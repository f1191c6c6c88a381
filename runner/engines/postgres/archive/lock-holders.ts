import type { DataPlace } from '../../archive/archive.ts';
import { EngineError } from '../../engine-error.ts';
import { withClient } from './with-client.ts';

const queryCharsMax = 200;

/** @returns the error with the sessions that lock tables of this database, if it is about a lock */
export async function withLockHolders(place: DataPlace, database: string, error: unknown): Promise<unknown> {
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
