/** Options that CONFIG SET changes in the running server only: https://redis.io/docs/latest/commands/config-set/ */
import { type EngineAddress, type EngineEnvironment, engineTimeoutMs } from '../engine.ts';
import { RespConnection } from './resp-connection.ts';
import type { Reply } from './resp-reader.ts';

/** The options that users change most. None contains a password. */
const names = [
  'maxmemory',
  'maxmemory-policy',
  'appendfsync',
  'notify-keyspace-events',
  'maxclients',
  'timeout',
  'save',
  'slowlog-log-slower-than',
];

/** @throws EngineError */
export const runtimeOptions = (address: EngineAddress, env: EngineEnvironment) =>
  optionsNamed(names, address, env);

/** All options, also those with passwords. @throws EngineError */
export const allOptions = (address: EngineAddress, env: EngineEnvironment) =>
  optionsNamed(['*'], address, env);

async function optionsNamed(
  patterns: readonly string[],
  address: EngineAddress,
  env: EngineEnvironment,
): Promise<Record<string, string>> {
  const connection = await RespConnection.open({
    ...{ address, password: env.REDIS_PASSWORD ?? '', database: 0 },
    ...{ timeoutMs: engineTimeoutMs, changes: false },
  });
  try {
    return await optionsOf(connection, patterns);
  } finally {
    connection.close();
  }
}

/** @throws EngineError */
export async function optionsOf(
  connection: RespConnection,
  patterns: readonly string[],
): Promise<Record<string, string>> {
  const replies = await connection.batch(patterns.map((pattern) => ['CONFIG', 'GET', pattern]));
  return Object.fromEntries(replies.flatMap(pairsOf));
}

const pairsOf = (reply: Reply): [string, string][] =>
  reply.type === 'map' ? reply.entries.map(([name, value]) => [textOf(name), textOf(value)]) : [];

const textOf = (reply: Reply) => (reply.type === 'string' ? reply.value.toString() : '');
