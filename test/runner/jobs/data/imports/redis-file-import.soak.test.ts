/** Redis from RDB files that a user brings, by the runner's own job and the server's own tools. */
import type { Redis } from 'ioredis';
import { beforeAll, expect } from 'vitest';
import { withRedis } from '../../../../support/docker/redis-source.ts';
import { useDatabase } from '../../../../support/docker/use-databases.ts';
import { storedNumbers } from '../../../engines/numbers/numbers-contract.ts';
import { redisNumbers } from '../../../engines/numbers/redis-numbers.ts';
import { fileImportContract } from './file-import-contract.ts';

const env = { REDIS_PASSWORD: `it's "so"` };
const database = useDatabase({ engine: 'redis', image: 'redis:8', env });
const numbers = storedNumbers(redisNumbers, { engine: 'redis', env }, () => database.port);
/** With keys in two logical databases, one of which has expired. */
let rdb: Buffer;

beforeAll(async () => {
  await redis(async (client) => {
    await client.set('answer', '42');
    await client.hset('hash', { a: '1', b: 'päß' });
    await client.zadd('numbers', 1, 'first');
    await numbers.put();
    await client.set('short', 'x', 'PX', 1);
    await client.select(7);
    await client.rpush('list', 'x', 'y');
  });
  // What a server has on its disk, as it lies there.
  await database.printed(['redis-cli', 'SAVE'], { REDISCLI_AUTH: env.REDIS_PASSWORD });
  rdb = await database.printed(['cat', '/data/dump.rdb']);
  await database.printed(['rm', '/data/dump.rdb']);
});

const redis = <T>(use: (client: Redis) => Promise<T>) =>
  withRedis({ port: database.port, password: env.REDIS_PASSWORD }, use);

fileImportContract({
  database,
  files: [['an RDB file', () => rdb]],
  empty: () => redis((client) => client.flushall()),
  putMine: () => redis((client) => client.set('mine', '1')),
  holds: async () => (await redis((client) => client.keys('*'))).sort(),
  mine: ['mine'],
  imported: ['answer', 'hash', 'numbers'],
  expectImported: () =>
    redis(async (client) => {
      // The old volume stays for a day.
      expect(await database.belongings()).toEqual(database.alone({ volumes: 2 }));
      expect(await client.get('answer')).toBe('42');
      expect(await client.hgetall('hash')).toEqual({ a: '1', b: 'päß' });
      await numbers.expectSame();
      await client.select(7);
      expect(await client.lrange('list', 0, -1)).toEqual(['x', 'y']);
    }),
  refused: [
    ['a text', () => Buffer.from('SET a b\n'), /is not an RDB file of Redis: make it with redis-cli/],
    ['a file whose end is missing', () => rdb.subarray(0, -9), /The RDB file is cut off.*EOF/],
    ['a file with a bit flipped', () => Buffer.from(rdb).fill((rdb[40] ?? 0) ^ 1, 40, 41), /redis-check-rdb/],
    [
      'a file with a wrong checksum',
      () => Buffer.concat([rdb.subarray(0, -1), Buffer.from([(rdb.at(-1) ?? 0) ^ 1])]),
      /is damaged: its checksum is wrong \(redis-check-rdb/,
    ],
    ['a file with more behind its end', () => Buffer.concat([rdb, rdb]), /found its end after/],
    [
      'a file of a version that does not exist yet',
      () => Buffer.concat([Buffer.from('REDIS9999'), rdb.subarray(9)]),
      /is of a newer version than this Redis reads.*9999/,
    ],
  ],
});
