/** Queries on one Redis server. Each has its own connection, so no selected database, blocking command or watch outlives it. */

import { ConcurrencyLimit } from '../concurrency-limit.ts';
import type { EngineAddress, EngineSession, QueryCaps } from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import { allowedCommand } from './command-policy.ts';
import { commandWords } from './command-words.ts';
import { type Change, editKey } from './key-edit.ts';
import { keyList, parseKeyId } from './key-list.ts';
import { keyRows } from './key-rows.ts';
import { replyTable } from './reply-table.ts';
import { RespConnection } from './resp-connection.ts';

/** The number of parallel queries; others wait. */
const connectionsMax = 5;
/** The time limit of every request except queries, which have their own caps. */
const answerMs = 15_000;

/** Commands whose integer reply is the number of changes. For other commands it is a value or a length. */
const countsChanges = new Set(
  'del unlink hset hdel sadd srem zadd zrem lrem xdel xtrim zremrangebyrank zremrangebyscore'.split(' '),
);

/** Commands that wait until data is available. */
const waits = /^(b[lrz]|wait)/;

/** @throws EngineError `unavailable` when Redis does not answer or refuses the password */
export async function openRedisSession(address: EngineAddress, password: string): Promise<EngineSession> {
  const connectionLimit = new ConcurrencyLimit(connectionsMax);

  function use<T>(
    database: number,
    work: (connection: RespConnection) => Promise<T>,
    { timeoutMs = answerMs, changes = false } = {},
  ): Promise<T> {
    return connectionLimit.run(async () => {
      const place = { address, password, database };
      const connection = await RespConnection.open({ ...place, timeoutMs, changes });
      try {
        return await work(connection);
      } finally {
        connection.close();
      }
    });
  }

  /** Runs work on the key of a table's id. */
  function useKey<T>(
    table: string,
    work: (connection: RespConnection, key: Buffer) => Promise<T>,
    { database, changes = false }: { database?: number | undefined; changes?: boolean } = {},
  ): Promise<T> {
    const found = parseKeyId(table);
    if (found === undefined) {
      const message = 'There is no such table: use the id of the key from the list of tables.';
      throw new EngineError('not_found', message);
    }
    if (database !== undefined && database !== found.database) {
      const message = `The table is in the logical database ${found.database}, but \`database\` is ${database}.`;
      throw new EngineError('invalid_request', message);
    }
    return use(found.database, (connection) => work(connection, found.key), { changes });
  }

  const edit = (table: string, change: Change) =>
    useKey(table, (connection, key) => editKey(connection, key, change), { changes: true });

  await use(0, async (connection) => void (await connection.call(['PING'])));
  return {
    tables: async ({ database = 0, cursor, match }) =>
      use(database, (connection) => keyList(connection, { database, cursor, match })),
    rows: async ({ table, limit, offset, database }) =>
      useKey(table, (connection, key) => keyRows(connection, key, { limit, offset }), { database }),
    query: async ({ text, database = 0 }, caps) => {
      const words = commandWords(text);
      return use(database, (connection) => query(connection, words, caps), {
        timeoutMs: caps.timeoutMs,
        changes: true,
      });
    },
    insert: async ({ table, values }) => ({ id: await edit(table, { action: 'insert', values }) }),
    update: async ({ table, primaryKey, values }) => {
      await edit(table, { action: 'update', primaryKey, values });
      return {};
    },
    delete: async ({ table, primaryKey }) => {
      await edit(table, { action: 'delete', primaryKey });
      return {};
    },
    close: async () => connectionLimit.close(),
  };
}

/**
 * A command that waits, such as BLPOP, waits no longer than the query's time limit: its connection is dropped, and Redis forgets it. A
 * command that computes for long, such as KEYS on millions of keys, continues in Redis, which has no way to end it.
 */
async function query(connection: RespConnection, words: Buffer[], caps: QueryCaps) {
  let isSentChange = false;
  try {
    const { name, writes } = await allowedCommand(connection, words);
    isSentChange = writes && !waits.test(name);
    const answer = await connection.cappedCall(words, { itemsMax: caps.rowsMax, bytesMax: caps.bytesMax });
    const table = replyTable(answer, caps);
    if (!writes || !countsChanges.has(name) || answer.reply.type !== 'integer') return table;
    return { ...table, rowCount: Number(answer.reply.value) };
  } catch (error) {
    if (!connection.late || isSentChange) throw error;
    const message = `The command took longer than ${caps.timeoutMs / 1_000} s and was aborted.`;
    throw new EngineError('invalid_request', message);
  }
}
