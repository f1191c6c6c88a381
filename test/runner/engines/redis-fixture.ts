/** What the contract asks of Redis. */
import { Redis } from 'ioredis';
import type { EngineAddress, EngineEnvironment } from '../../../runner/engines/engine.ts';
import { keyId } from '../../../runner/engines/redis/key-list.ts';
import { redis } from '../../../runner/engines/redis.ts';
import type { EngineFixture } from './engine-contract.ts';
import { redisNumbers } from './numbers/redis-numbers.ts';

export const image = 'redis:8';
const password = `it's "so" \\ zë`;
export const env = { REDIS_PASSWORD: password };
export const caps = { timeoutMs: 15_000, rowsMax: 1_000, bytesMax: 1_000_000 };
const bytes = Buffer.from([0xff, 0x00, 0x80]);
export const id = (key: string | Buffer, database = 0) =>
  keyId({ database, key: Buffer.from(key as Buffer) });

export async function withClient<T>(
  { port }: EngineAddress,
  { REDIS_PASSWORD = '' }: EngineEnvironment,
  use: (client: Redis) => Promise<T>,
): Promise<T> {
  const client = new Redis({ port, password: REDIS_PASSWORD, protocol: 2 });
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

const hashColumns = [
  { name: 'field', type: 'string', primary: true },
  { name: 'value', type: 'string', primary: false },
];

export const redisFixture: EngineFixture = {
  engine: redis,
  image,
  env,
  password,
  wrongEnv: { REDIS_PASSWORD: 'wrong' },
  async fill(address, env) {
    await withClient(address, env, async (client) => {
      await client.rpush('ordered', ...Array.from({ length: 7 }, (_, at) => `v${at}`));
      await client.hset('awkward', Buffer.from('bytes'), bytes);
      await client.hset('awkward', bytes, 'a field of bytes');
      await client.hset('awkward', {
        '': '',
        'a\\x': '\\x41',
        integer: '9223372036854775807',
        '\\x00': 'a field of a backslash',
        lines: 'a\r\n\u0000b',
        ünï: '💧',
        '\ufeffmark': '\ufeff',
      });
      await client.set('we-ird "t" ; -- `\u0000', 'x');
      await client.hset('edit', 'first', '1');
      await client.mset('', 'empty name', 'string', 's');
      await client.sadd('set', 'a', 'b');
      await client.zadd('zset', 1, 'a', 2, 'b', 3, 'c');
      await client.zadd('numbers', 1, 'first');
      await client.xadd('stream', '*', 'a', '1');
      await client.set(bytes, 'x');
      await client.rpush('many', ...Array.from({ length: 1_200 }, (_, at) => String(at)));
      await client.rpush('large', ...Array.from({ length: 5 }, () => 'x'.repeat(300_000)));
    });
  },
  connections: (address, env) =>
    withClient(address, env, async (client) => {
      const list = String(await client.call('CLIENT', 'LIST'));
      return list.trim().split('\n').length - 1;
    }),

  ordered: {
    table: id('ordered'),
    schema: 'list',
    columns: [
      { name: 'index', type: 'integer', primary: true },
      { name: 'value', type: 'string', primary: false },
    ],
    rows: Array.from({ length: 7 }, (_, index) => ({ index, value: `v${index}` })),
    total: 7,
  },
  awkward: {
    table: id('awkward'),
    columns: hashColumns,
    rows: [
      { field: '', value: '' },
      { field: '\\x5c783030', value: 'a field of a backslash' },
      { field: 'a\\x', value: '\\x5c783431' },
      { field: 'bytes', value: '\\xff0080' },
      { field: 'integer', value: '9223372036854775807' },
      { field: 'lines', value: 'a\r\n\u0000b' },
      { field: 'ünï', value: '💧' },
      { field: '\ufeffmark', value: '\ufeff' },
      { field: '\\xff0080', value: 'a field of bytes' },
    ],
  },
  odd: { table: id('we-ird "t" ; -- `\u0000'), rows: [{ value: 'x' }] },
  others: [
    { table: id(''), rowCount: 1 },
    { table: id('string'), rowCount: 1 },
    { table: id('set'), rowCount: 2 },
    { table: id('zset'), rowCount: 3 },
    { table: id('stream'), rowCount: 1 },
    { table: id(bytes), rowCount: 1 },
  ],

  edit: {
    table: id('edit'),
    insert: { values: { field: 'new \\ "x"', value: 'v' }, id: 'new \\ "x"' },
    primaryKey: { field: 'new \\ "x"' },
    inserted: { field: 'new \\ "x"', value: 'v' },
    update: { values: { value: '\\xfffe' }, reads: { field: 'new \\ "x"', value: '\\xfffe' } },
    missing: { field: 'none' },
    otherKey: { value: '1' },
    unknownColumn: { field: 'x', value: 'y', colour: 'red' },
    conflict: { values: { field: 'first', value: '2' }, names: 'field first' },
  },

  numbers: redisNumbers,
  query: {
    read: {
      text: 'ZRANGE zset 0 -1 WITHSCORES',
      columns: [{ name: 'value', type: 'array' }],
      rows: [{ value: ['a', 1] }, { value: ['b', 2] }, { value: ['c', 3] }],
    },
    write: { text: 'SADD written a b', rowCount: 2 },
    wrong: { text: 'LPUSH string x', says: /^WRONGTYPE Operation against a key/ },
    several: 'PING\nPING',
    manyRows: 'LRANGE many 0 -1',
    manyBytes: 'LRANGE large 0 -1',
    slow: 'BLPOP none 0',
    // More of them below.
    denied: ['CONFIG GET requirepass', 'config  get *', 'MIGRATE 127.0.0.1 1 k 0 1', "EVAL 'return 1' 0"],
  },
};
