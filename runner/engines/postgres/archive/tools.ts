/** Runs `pg_dump` and `pg_restore` in the service's container. */
import type { DataPlace } from '../../archive/archive.ts';
import { failureText } from '../../archive/run-tool.ts';
import { EngineError } from '../../engine-error.ts';
import { databaseOf, userOf } from '../client-config.ts';
import { skippedObjects } from './skipped-objects.ts';
import { sessionOptions } from './with-client.ts';

type Place = Pick<DataPlace, 'tools' | 'env' | 'signal'>;

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

/** @throws EngineError with the end of the tool's error output */
export function refuseFailure(tool: string, { code, stderr }: { code: number; stderr: string }): void {
  if (code === 0) return;
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
  { tools, env, signal }: Place,
  database: string,
  stdin: AsyncIterable<Buffer>,
  options: readonly string[],
  skipped?: string[],
): Promise<void> {
  const command = ['pg_restore', '--no-password', `--dbname=${database}`, ...options];
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
