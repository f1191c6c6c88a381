/** Redis from RDB files that a user brings, by the runner's own job and the server's own tools. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { testId } from '../../support/docker-host.ts';
import { type FileImportBench, fileImportBench } from '../../support/file-import.ts';
import { testContext } from '../../support/job-context.ts';

const env = { REDIS_PASSWORD: `it's "so"` };
let bench: FileImportBench;
/** With keys in two logical databases, one of which has passed its time. */
let rdb: Buffer;

beforeAll(async () => {
  bench = await fileImportBench('redis', 'redis:8', env);
  await redis(async (client) => {
    await client.set('answer', '42');
    await client.hset('hash', { a: '1', b: 'päß' });
    await client.set('short', 'x', 'PX', 1);
    await client.select(7);
    await client.rpush('list', 'x', 'y');
  });
  // What a server has on its disk, as it lies there.
  const auth = { env: { REDISCLI_AUTH: env.REDIS_PASSWORD } };
  await bench.printed(['redis-cli', 'SAVE'], auth);
  rdb = await bench.printed(['cat', '/data/dump.rdb']);
  await bench.printed(['rm', '/data/dump.rdb']);
});
afterAll(() => bench?.fixture.remove());
beforeEach(() => redis((client) => client.flushall()));

async function redis<T>(use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ port: bench.live.hostPort, password: env.REDIS_PASSWORD });
  client.on('error', () => {});
  return await use(client).finally(() => client.disconnect());
}

const answer = () => redis((client) => client.get('answer'));

test('an RDB file fills the database with all its keys; no file, no container and no volume stays', async () => {
  const before = await bench.things();
  const context = testContext();
  expect(await bench.run(rdb, {}, context)).toMatchObject({ outcome: 'succeeded' });
  expect(await answer()).toBe('42');
  expect(await redis((client) => client.hgetall('hash'))).toEqual({ a: '1', b: 'päß' });
  expect(await redis(async (client) => client.select(7).then(() => client.lrange('list', 0, -1)))).toEqual([
    ...['x', 'y'],
  ]);
  const after = await bench.things();
  expect(after.containers).toEqual(before.containers);
  // The new volume, and the old one for a day.
  expect(after.volumes).toHaveLength(2);
  expect(await bench.files()).toEqual([]);
});

test('into what holds keys it is refused; with "replace" they are a backup', async () => {
  await redis((client) => client.set('mine', '1'));
  expect(await bench.run(rdb)).toMatchObject({
    code: 'import_refused',
    message: expect.stringMatching(/holds 1 rows in 1 tables.*Nothing was changed/),
  });
  const safetyBackupId = testId('backup');
  expect(await bench.run(rdb, { safetyBackupId })).toMatchObject({ outcome: 'succeeded' });
  expect(await redis((client) => client.get('mine'))).toBeNull();
  expect(await bench.files()).toEqual([safetyBackupId]);
});

test.each([
  ['a text', () => Buffer.from('SET a b\n'), /what is taken is an RDB file of Redis: make it with redis-cli/],
  ['a file whose end is missing', () => rdb.subarray(0, -9), /The RDB file is cut off.*EOF/],
  ['a file with a bit flipped', () => Buffer.from(rdb).fill((rdb[40] ?? 0) ^ 1, 40, 41), /redis-check-rdb/],
  [
    'a file with a wrong checksum',
    () => Buffer.concat([rdb.subarray(0, -1), Buffer.from([(rdb.at(-1) ?? 0) ^ 1])]),
    /is damaged: its checksum is wrong \(redis-check-rdb/,
  ],
  ['a file with more behind its end', () => Buffer.concat([rdb, rdb]), /found its end after/],
  [
    'a file of a version that is not there yet',
    () => Buffer.concat([Buffer.from('REDIS9999'), rdb.subarray(9)]),
    /is of a newer version than this Redis reads.*9999/,
  ],
])('%s is refused before anything is touched', async (_, file, why) => {
  await redis((client) => client.set('mine', '1'));
  const before = [await bench.things(), await bench.files()];
  const context = testContext();
  expect(await bench.run(file(), { safetyBackupId: testId('backup') }, context)).toMatchObject({
    code: expect.stringMatching(/^import_/),
    message: expect.stringMatching(why),
  });
  expect(new Set(context.phases.map(({ phase }) => phase))).toEqual(new Set(['fetch']));
  expect(await redis((client) => client.get('mine'))).toBe('1');
  expect([await bench.things(), await bench.files()]).toEqual(before);
});
