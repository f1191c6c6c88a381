import type { Contents, DataPlace } from '../../archive/archive.ts';
import { runTool } from '../../archive/run-tool.ts';
import { fullOf } from '../resp-connection.ts';

/** Keeps the password out of the arguments. */
export const cliEnvironment = ({ env }: Pick<DataPlace, 'env'>): Record<string, string> =>
  env.REDIS_PASSWORD ? { REDISCLI_AUTH: env.REDIS_PASSWORD } : {};

/** Runs a command on the server in the container. The result may also be an error text. @throws EngineError */
export async function ask(
  place: Pick<DataPlace, 'env' | 'tools' | 'signal'>,
  ...words: string[]
): Promise<string> {
  const options = { env: cliEnvironment(place) };
  const printed = await runTool(place, ['redis-cli', ...words], options).catch((error: Error) =>
    Promise.reject(fullOf(error.message) ?? error),
  );
  // The tool without a password exits with 0 and this reply.
  const full = printed.startsWith('ERR ') ? fullOf(printed) : undefined;
  if (full) throw full;
  return printed;
}

/** The fields of one section of `INFO`. */
export async function info(
  place: Pick<DataPlace, 'env' | 'tools' | 'signal'>,
  section: string,
): Promise<Map<string, string>> {
  const lines = (await ask(place, 'INFO', section)).split(/\r?\n/);
  return new Map(
    lines.flatMap((line): [string, string][] => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
    }),
  );
}

/**
 * The number of logical databases with keys, and of their keys. https://redis.io/docs/latest/commands/info/, "keyspace", has a line for
 * each.
 * @throws EngineError
 */
export async function keysHeld(place: Pick<DataPlace, 'env' | 'tools' | 'signal'>): Promise<Contents> {
  const keys = [...(await info(place, 'keyspace'))].flatMap(([name, facts]) =>
    /^db\d+$/.test(name) ? [Number(/^keys=(\d+)/.exec(facts)?.[1] ?? 0)] : [],
  );
  return { tables: keys.length, rows: keys.reduce((sum, count) => sum + count, 0) };
}
