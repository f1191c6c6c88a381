/**
 * Redis has no connections reserved for its operator: any surplus client is refused. A connected client can raise `maxclients`.
 * https://redis.io/docs/latest/develop/reference/clients/#maximum-concurrent-connected-clients
 */
import { ConcurrencyLimit } from '../concurrency-limit.ts';
import { type EngineAddress, type EngineEnvironment, engineTimeoutMs, type WayIn } from '../engine.ts';
import { RespConnection } from './resp-connection.ts';
import { optionsOf } from './runtime-options.ts';

/** The longest time that a timer accepts. A broken connection is opened again, so no other limit is needed. */
const keptMs = 2 ** 31 - 1;
/** The number of connections for refused clients: they return at once, and are the first to connect. */
const roomForClients = 1_000;

/** @throws EngineError */
export async function openWayIn(address: EngineAddress, env: EngineEnvironment): Promise<WayIn> {
  const password = env.REDIS_PASSWORD ?? '';
  const connection = await RespConnection.open({
    ...{ address, password, database: 0, timeoutMs: keptMs, changes: false },
  });
  // The answers are in the order of the questions, so there is one question at a time.
  const turns = new ConcurrencyLimit(1);
  const setLimit = (limit: number) =>
    turns.run(() => connection.call(['CONFIG', 'SET', 'maxclients', String(limit)]));
  return {
    async isOpen() {
      const late = setTimeout(() => connection.close(), engineTimeoutMs);
      try {
        await turns.run(() => connection.call(['PING']));
        return true;
      } catch {
        return false;
      } finally {
        clearTimeout(late);
      }
    },
    async makeRoom() {
      const { maxclients } = await turns.run(() => optionsOf(connection, ['maxclients']));
      const limit = Number(maxclients);
      await setLimit(limit + roomForClients);
      return async () => void (await setLimit(limit));
    },
    close: () => connection.close(),
  };
}
