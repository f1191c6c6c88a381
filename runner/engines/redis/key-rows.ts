/** Reads a page of a key's rows. */
import type { DatabaseAnswerOf } from '../../../protocol/database.ts';
import { EngineError } from '../engine-error.ts';
import type { Row } from '../row.ts';
import { textOf } from './byte-text.ts';
import { isKeyType, type KeyType, keyColumns } from './key-kinds.ts';
import { typeName } from './key-list.ts';
import { doubleOf, jsonOf } from './reply-table.ts';
import type { RespConnection } from './resp-connection.ts';
import type { Reply } from './resp-reader.ts';

type Rows = DatabaseAnswerOf<'rows'>;

interface Page {
  limit: number;
  offset: number;
}

/** The limit of all values of a page together. */
const pageBytesMax = 2_000_000;
/** Sets and hashes have no order. Up to this many members, they are read completely and sorted by their bytes. */
const sortedMax = 10_000;
const stepSize = 1_000;

/**
 * Lists, sorted sets and streams have an order; sets and hashes are sorted by their bytes up to 10,000 members. Larger ones are in the
 * order of the server's hash table, which stays the same from page to page unless members are added or removed.
 * @throws EngineError `not_found`; `unsupported` for a module's type
 */
export async function keyRows(connection: RespConnection, key: Buffer, page: Page): Promise<Rows> {
  const type = await existingType(connection, key);
  const { total, rows } = await readers[type](connection, key, page);
  const ttl = Number(integerOf(await connection.call(['TTL', key])));
  return { columns: keyColumns[type], rows, total, ttl: ttl < 0 ? null : ttl };
}

/** @throws EngineError `not_found`; `unsupported` for a module's type */
export async function existingType(connection: RespConnection, key: Buffer): Promise<KeyType> {
  const type = typeName(await connection.call(['TYPE', key]));
  if (type === 'none') {
    const message = `There is no key ${textOf(key)}: the list of tables shows all keys, and a command in a query creates one.`;
    throw new EngineError('not_found', message);
  }
  if (isKeyType(type)) return type;
  throw new EngineError('unsupported', `A key of type ${type} has no rows: use its own commands in a query.`);
}

type Reader = (
  connection: RespConnection,
  key: Buffer,
  page: Page,
) => Promise<{ total: number; rows: Row[] }>;

const readers: Readonly<Record<KeyType, Reader>> = {
  async string(connection, key, { limit, offset }) {
    if (offset > 0 || limit < 1) return { total: 1, rows: [] };
    return { total: 1, rows: [{ value: jsonOf(await connection.call(['GET', key], pageBytesMax)) }] };
  },

  async list(connection, key, { limit, offset }) {
    const total = await size(connection, ['LLEN', key]);
    const last = String(offset + limit - 1);
    const values = itemsOf(await connection.call(['LRANGE', key, String(offset), last], pageBytesMax));
    return { total, rows: values.map((value, at) => ({ index: offset + at, value: jsonOf(value) })) };
  },

  async hash(connection, key, page) {
    const total = await size(connection, ['HLEN', key]);
    const scan = ['HSCAN', 'HKEYS', 'NOVALUES'] as const;
    const fields = await membersOf(connection, key, total, page, scan);
    if (fields.length === 0) return { total, rows: [] };
    const values = itemsOf(await connection.call(['HMGET', key, ...fields], pageBytesMax));
    const rows = fields.map((field, at) => ({ field: textOf(field), value: valueAt(values, at) }));
    // The field was removed in between.
    return { total, rows: rows.filter(({ value }) => value !== null) };
  },

  async set(connection, key, page) {
    const total = await size(connection, ['SCARD', key]);
    const members = await membersOf(connection, key, total, page, ['SSCAN', 'SMEMBERS']);
    return { total, rows: members.map((member) => ({ member: textOf(member) })) };
  },

  async zset(connection, key, { limit, offset }) {
    const total = await size(connection, ['ZCARD', key]);
    const words = ['ZRANGE', key, String(offset), String(offset + limit - 1), 'WITHSCORES'];
    const pairs = itemsOf(await connection.call(words, pageBytesMax)).map(itemsOf);
    return { total, rows: pairs.map((pair) => ({ member: valueAt(pair, 0), score: scoreOf(pair[1]) })) };
  },

  async stream(connection, key, { limit, offset }) {
    const total = await size(connection, ['XLEN', key]);
    if (offset >= total) return { total, rows: [] };
    let after = '-';
    for (let left = offset; left > 0; left -= stepSize) {
      // A stream can't be read from a position: the entries before it are read and dropped.
      const count = String(Math.min(left, stepSize));
      const last = itemsOf(await connection.call(['XRANGE', key, after, '+', 'COUNT', count])).at(-1);
      if (last === undefined) return { total, rows: [] };
      after = `(${String(valueAt(itemsOf(last), 0))}`;
    }
    const words = ['XRANGE', key, after, '+', 'COUNT', String(limit)];
    const entries = itemsOf(await connection.call(words, pageBytesMax)).map(itemsOf);
    return { total, rows: entries.map(([id, fields]) => ({ id: json(id), fields: pairsOf(fields) })) };
  },
};

/** The members of one page of a set or a hash. */
async function membersOf(
  connection: RespConnection,
  key: Buffer,
  total: number,
  { limit, offset }: Page,
  [scan, whole, ...flags]: readonly [string, string, ...string[]],
): Promise<Buffer[]> {
  if (total <= sortedMax) {
    const members = itemsOf(await connection.call([whole, key])).map(bytesOfReply);
    return members.sort(Buffer.compare).slice(offset, offset + limit);
  }
  const members = new Map<string, Buffer>();
  let cursor = '0';
  do {
    const words = [scan, key, cursor, 'COUNT', String(stepSize), ...flags];
    const [next, page] = itemsOf(await connection.call(words));
    cursor = next === undefined ? '0' : bytesOfReply(next).toString();
    for (const member of itemsOf(page).map(bytesOfReply)) members.set(member.toString('latin1'), member);
  } while (cursor !== '0' && members.size < offset + limit);
  return [...members.values()].slice(offset, offset + limit);
}

/** The items of a list or a set; none for any other reply. */
export function itemsOf(reply: Reply | undefined): Reply[] {
  return reply?.type === 'array' || reply?.type === 'set' ? reply.items : [];
}

/** The text of an integer reply; `0` for any other reply, such as that of a missing key. */
export function integerOf(reply: Reply): string {
  return reply.type === 'integer' ? reply.value : '0';
}

async function size(connection: RespConnection, words: (string | Buffer)[]): Promise<number> {
  return Number(integerOf(await connection.call(words)));
}

function bytesOfReply(reply: Reply): Buffer {
  return reply.type === 'string' ? reply.value : Buffer.alloc(0);
}

const json = (reply: Reply | undefined): Row[string] => (reply ? jsonOf(reply) : null);
const valueAt = (items: Reply[], at: number): Row[string] => json(items[at]);

function scoreOf(reply: Reply | undefined): number | string | null {
  return reply?.type === 'double' ? doubleOf(reply.value) : null;
}

function pairsOf(reply: Reply | undefined): Row[string] {
  const flat = itemsOf(reply).map(jsonOf);
  return Array.from({ length: flat.length / 2 }, (_, at) => flat.slice(2 * at, 2 * at + 2));
}
