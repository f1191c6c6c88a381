/**
 * The commands that change one row, by the key's type. The key is watched, so that the facts read here are still true when the commands
 * run.
 */
import { randomBytes } from 'node:crypto';
import { EngineError } from '../engine-error.ts';
import type { Json } from '../row.ts';
import { textOf } from './byte-text.ts';
import type { KeyType } from './key-kinds.ts';
import { integerOf, itemsOf } from './key-rows.ts';
import type { RespConnection, Word } from './resp-connection.ts';
import type { Reply } from './resp-reader.ts';
import { rowWords, scoreOf, type Values, wordOf } from './row-words.ts';

/** Commands that run together. For an insert, also the new row's key, from the reply to the first command. */
export interface Plan {
  commands: Word[][];
  id?: (reply: Reply | undefined) => string | number;
}

interface RowEdits {
  insert(connection: RespConnection, key: Buffer, values: Values): Promise<Plan>;
  update(connection: RespConnection, key: Buffer, row: Json, values: Values): Promise<Plan>;
  remove(connection: RespConnection, key: Buffer, row: Json): Promise<Plan>;
}

export const rowEdits: Readonly<Record<KeyType, RowEdits>> = {
  string: {
    insert: async () => {
      throw new EngineError('conflict', 'This string already exists: change its value instead.');
    },
    async update(connection, key, row, values) {
      await stringIs(connection, key, row);
      return { commands: [['SET', key, rowWords(values, ['value']).value, 'KEEPTTL']] };
    },
    async remove(connection, key, row) {
      await stringIs(connection, key, row);
      return { commands: [['DEL', key]] };
    },
  },

  hash: {
    async insert(connection, key, values) {
      const { field, value } = rowWords(values, ['field', 'value']);
      if (await counts(connection, ['HEXISTS', key, field])) throw taken('hash', 'field', field);
      return { commands: [['HSET', key, field, value]], id: () => textOf(field) };
    },
    async update(connection, key, row, values) {
      const field = wordOf(row, 'field');
      if (!(await counts(connection, ['HEXISTS', key, field]))) throw missing('field', field);
      return { commands: [['HSET', key, field, rowWords(values, ['value']).value]] };
    },
    async remove(connection, key, row) {
      const field = wordOf(row, 'field');
      if (!(await counts(connection, ['HEXISTS', key, field]))) throw missing('field', field);
      return { commands: [['HDEL', key, field]] };
    },
  },

  list: {
    // Appends the value; the reply contains its index.
    async insert(_connection, key, values) {
      const { value } = rowWords(values, ['value']);
      return {
        commands: [['RPUSH', key, value]],
        id: (length) => Number(length ? integerOf(length) : 0) - 1,
      };
    },
    async update(connection, key, row, values) {
      const index = await indexIn(connection, key, row);
      return { commands: [['LSET', key, index, rowWords(values, ['value']).value]] };
    },
    // Replaces the value with a unique mark and removes the mark, because no command removes by index.
    async remove(connection, key, row) {
      const index = await indexIn(connection, key, row);
      const mark = randomBytes(32);
      return {
        commands: [
          ['LSET', key, index, mark],
          ['LREM', key, '1', mark],
        ],
      };
    },
  },

  set: {
    async insert(connection, key, values) {
      const { member } = rowWords(values, ['member']);
      if (await counts(connection, ['SISMEMBER', key, member])) throw taken('set', 'member', member);
      return { commands: [['SADD', key, member]], id: () => textOf(member) };
    },
    async update(connection, key, row, values) {
      const before = wordOf(row, 'member');
      const { member } = rowWords(values, ['member']);
      if (!(await counts(connection, ['SISMEMBER', key, before]))) throw missing('member', before);
      if (before.equals(member)) return { commands: [['SADD', key, member]] };
      if (await counts(connection, ['SISMEMBER', key, member])) throw taken('set', 'member', member);
      // SADD must be the first: an empty set would be deleted, together with its time to live.
      return {
        commands: [
          ['SADD', key, member],
          ['SREM', key, before],
        ],
      };
    },
    async remove(connection, key, row) {
      const member = wordOf(row, 'member');
      if (!(await counts(connection, ['SISMEMBER', key, member]))) throw missing('member', member);
      return { commands: [['SREM', key, member]] };
    },
  },

  zset: {
    async insert(connection, key, { score: given, ...others }) {
      const { member } = rowWords(others, ['member']);
      const score = scoreOf(given);
      if (await isScored(connection, key, member)) throw taken('sorted set', 'member', member);
      return { commands: [['ZADD', key, score, member]], id: () => textOf(member) };
    },
    async update(connection, key, row, values) {
      const member = wordOf(row, 'member');
      if (!(await isScored(connection, key, member))) throw missing('member', member);
      const { score, ...others } = values;
      rowWords(others, []);
      return { commands: [['ZADD', key, scoreOf(score), member]] };
    },
    async remove(connection, key, row) {
      const member = wordOf(row, 'member');
      if (!(await isScored(connection, key, member))) throw missing('member', member);
      return { commands: [['ZREM', key, member]] };
    },
  },

  stream: {
    async insert(_connection, key, { id, fields, ...others }) {
      rowWords(others, []);
      const at = id === undefined ? '*' : wordOf(id, 'id');
      return {
        commands: [['XADD', key, at, ...fieldWords(fields)]],
        id: (reply) => (reply?.type === 'string' ? reply.value.toString() : ''),
      };
    },
    update: async () => {
      const message = 'An entry of a stream never changes: delete it, and insert another one.';
      throw new EngineError('unsupported', message);
    },
    async remove(connection, key, row) {
      const id = wordOf(row, 'id');
      const found = itemsOf(await connection.call(['XRANGE', key, id, id, 'COUNT', '1']));
      if (found.length === 0) throw missing('entry', id);
      return { commands: [['XDEL', key, id]] };
    },
  },
};

/** The words of a stream entry: pairs of name and value, or an object of them. @throws EngineError `invalid_request` */
function fieldWords(fields: Json | undefined): Buffer[] {
  const pairs = Array.isArray(fields) ? fields : Object.entries(fields instanceof Object ? fields : {});
  const words = pairs.flatMap((pair) => (Array.isArray(pair) && pair.length === 2 ? pair : [null]));
  if (words.length > 0 && !words.includes(null)) return words.map((word) => wordOf(word, 'fields'));
  const message = '`fields` of a stream is a list of pairs, [["name", "value"]], or an object; at least one.';
  throw new EngineError('invalid_request', message);
}

async function stringIs(connection: RespConnection, key: Buffer, row: Json): Promise<void> {
  const value = wordOf(row, 'value');
  const now = await connection.call(['GET', key]);
  if (now.type !== 'string' || !now.value.equals(value)) throw missing('value', value);
}

async function indexIn(connection: RespConnection, key: Buffer, row: Json): Promise<string> {
  const index = wordOf(row, 'index').toString();
  if (!/^(0|[1-9]\d{0,15})$/.test(index)) {
    throw new EngineError('invalid_request', '`index` counts from 0, at the beginning of the list.');
  }
  const length = Number(integerOf(await connection.call(['LLEN', key])));
  if (Number(index) >= length) throw missing('index', Buffer.from(index));
  return index;
}

async function counts(connection: RespConnection, words: Word[]): Promise<boolean> {
  return integerOf(await connection.call(words)) === '1';
}

async function isScored(connection: RespConnection, key: Buffer, member: Buffer): Promise<boolean> {
  return (await connection.call(['ZSCORE', key, member])).type !== 'null';
}

function missing(what: string, word: Buffer): EngineError {
  return new EngineError('not_found', `The key has no ${what} ${shown(word)}.`);
}

function taken(kind: string, what: string, word: Buffer): EngineError {
  return new EngineError(
    'conflict',
    `The ${kind} already has the ${what} ${shown(word)}: change it instead.`,
  );
}

function shown(word: Buffer): string {
  const text = textOf(word);
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}
