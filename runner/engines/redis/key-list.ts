/** Lists keys as tables: a page of SCAN, each key with its type and length. */
import type { DatabaseAnswerOf } from '../../../protocol/database.ts';
import { EngineError } from '../engine-error.ts';
import { textOf } from './byte-text.ts';
import type { RespConnection, Word } from './resp-connection.ts';
import type { Reply } from './resp-reader.ts';

/** The most keys in one answer. */
const keysMax = 2_000;
/**
 * The keys per SCAN. A reply has about this many, a few more when keys share a slot of the server's hash table, but never twice as many.
 */
const pageSize = 500;
/** The time limit for a pattern that few keys match, when SCAN visits all keys. The answer then has the cursor for the rest. */
const scanMs = 3_000;

const lengthCommands: Readonly<Record<string, string>> = {
  hash: 'HLEN',
  list: 'LLEN',
  set: 'SCARD',
  zset: 'ZCARD',
  stream: 'XLEN',
};

export interface KeyPage {
  database: number;
  cursor: string | undefined;
  match: string | undefined;
}

/**
 * Lists every key that exists from the first page to the last at least once. A key may appear twice on different pages:
 * https://redis.io/docs/latest/commands/scan/
 */
export async function keyList(
  connection: RespConnection,
  { database, cursor, match }: KeyPage,
): Promise<DatabaseAnswerOf<'tables'>> {
  const { keys, next } = await scan(connection, cursor ?? '0', match);
  const types = await connection.batch(keys.map((key) => ['TYPE', key]));
  const typed = keys
    .map((key, at) => ({ key, type: typeName(types[at]) }))
    .filter(({ type }) => type !== 'none');
  const lengths = await connection.batch(typed.map(({ key, type }) => lengthCommand(type, key)));
  const tables = typed.map(({ key, type }, at) => ({
    id: keyId({ database, key }),
    name: textOf(key),
    schema: type,
    rowCount: lengthOf(lengths[at]),
  }));
  return { tables, cursor: next === '0' ? null : next };
}

async function scan(
  connection: RespConnection,
  from: string,
  match: string | undefined,
): Promise<{ keys: Buffer[]; next: string }> {
  if (!/^\d{1,20}$/.test(from)) {
    throw new EngineError('invalid_request', '`cursor` does not come from an earlier answer.');
  }
  const filter: Word[] = match === undefined ? [] : ['MATCH', match];
  const keys = new Map<string, Buffer>();
  const end = performance.now() + scanMs;
  let cursor = from;
  do {
    const reply = await connection.call(['SCAN', cursor, ...filter, 'COUNT', String(pageSize)]);
    const [next, page] = reply.type === 'array' ? reply.items : [];
    if (next?.type !== 'string' || page?.type !== 'array') throw new Error('SCAN gave an unexpected reply');
    cursor = next.value.toString();
    for (const item of page.items)
      if (item.type === 'string') keys.set(item.value.toString('latin1'), item.value);
  } while (cursor !== '0' && keys.size + 2 * pageSize <= keysMax && performance.now() < end);
  return { keys: [...keys.values()], next: cursor };
}

/** A string is one row, and so is a value of a module's type. */
function lengthCommand(type: string, key: Buffer): Word[] {
  const command = Object.hasOwn(lengthCommands, type) && lengthCommands[type];
  return command ? [command, key] : ['EXISTS', key];
}

export function typeName(reply: Reply | undefined): string {
  return reply?.type === 'string' ? reply.value.toString() : 'none';
}

/** A key whose type has just changed has no length at the moment. */
function lengthOf(reply: Reply | undefined): number {
  return reply?.type === 'integer' ? Number(reply.value) : 0;
}

/** The id of a key in the table API: its logical database and its bytes, `<database>:<base64url>`. */
interface RedisKey {
  database: number;
  key: Buffer;
}

export function keyId({ database, key }: RedisKey): string {
  return `${database}:${key.toString('base64url')}`;
}

/** `undefined` if the text is not such an id, or not in its canonical spelling. */
export function parseKeyId(id: string): RedisKey | undefined {
  const [, digits, encoded] = /^(0|[1-9]\d{0,8}):([\w-]*)$/.exec(id) ?? [];
  if (digits === undefined || encoded === undefined) return undefined;
  const found = { database: Number(digits), key: Buffer.from(encoded, 'base64url') };
  return keyId(found) === id ? found : undefined;
}
