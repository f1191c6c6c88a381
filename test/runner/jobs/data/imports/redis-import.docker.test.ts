/** Imports into Redis by the runner's own job: two real servers, of which one is only read. */
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stable } from '../../../../support/docker/deploy-fixture.ts';
import { testId } from '../../../../support/docker/docker-host.ts';
import { dockerUntil } from '../../../../support/docker/docker-until.ts';
import {
  everyKey,
  heldWay,
  type Login,
  type RedisSource,
  startRedisSource,
  withRedis,
} from '../../../../support/docker/redis-source.ts';
import { type RunOptions, useDatabase } from '../../../../support/docker/use-databases.ts';
import { testContext } from '../../../../support/runner/job-context.ts';
import { redisFixture } from '../../../engines/redis-fixture.ts';
import { importContract } from './import-contract.ts';

const env = { REDIS_PASSWORD: `it's "so" \\ zë` };
const target = useDatabase({ engine: 'redis', image: 'redis:8', env, limits: { memoryLimitMb: 256 } });
const sourcePassword = 'pä"s/s@\\ 1';
const library = "#!lua name=kept\nredis.register_function('answer', function() return 42 end)";
let source: RedisSource;
let before: string[];

const onTarget = <T>(use: (client: Redis) => Promise<T>, login: Login = {}) =>
  withRedis({ port: target.port, password: env.REDIS_PASSWORD, ...login }, use);
const urlOf = ({ host = source.address, port = 6379, path = '', password = sourcePassword } = {}) =>
  `redis://:${encodeURIComponent(password)}@${host}:${port}${path}`;
const spec = (more = {}) => target.importSpec({ source: 'redis-url', ...more });
const importFrom = (sourceUrl = urlOf(), options: RunOptions = {}) =>
  target.run(spec(), { sourceUrl, ...options });
/** As `<logical database> <key>`, without the keys of one large database. */
const holds = () =>
  onTarget(async (client) => {
    const found: string[] = [];
    for (const database of [0, 3]) {
      await client.select(database);
      found.push(...(await client.keys('*')).map((key) => `${database} ${key}`));
    }
    return found.sort();
  });

beforeAll(async () => {
  const quoted = sourcePassword.replace(/["\\]/g, '\\$&');
  source = await startRedisSource([`requirepass "${quoted}"`], { login: { password: sourcePassword } });
  await redisFixture.fill({ host: '127.0.0.1', port: source.port }, { REDIS_PASSWORD: sourcePassword });
  await source.use(async (client) => {
    await client.pexpireat('string', Date.now() + 3_600_123);
    await client.call('HPEXPIRE', 'edit', '3600123', 'FIELDS', '1', 'first');
    await client.xgroup('CREATE', 'stream', 'readers', '0');
    await client.call('FUNCTION', 'LOAD', library);
    await client.select(9);
    await client.set(Buffer.from([0xff, 0x00, 0x0d, 0x0a]), Buffer.alloc(3_000_000, '\r\n$-1'), 'EX', 86_400);
    await client.hset(
      'large',
      Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`field ${at}`, `${at}`])),
    );
    await client.mset(Array.from({ length: 5_000 }, (_, at) => [`many:${at}`, 'x'.repeat(50)]).flat());
  });
  before = await source.use(everyKey);
  expect(before.length).toBeGreaterThan(5_000);
});
afterAll(() => source?.remove());

importContract({
  ...{ target, source: 'redis-url', url: urlOf, holds },
  empty: () => onTarget((client) => client.flushall()),
  putMine: () => onTarget((client) => client.mset('mine', '1', 'too', '2'), { db: 3 }),
  mine: ['3 mine', '3 too'],
  imported: ['0 edit', '0 stream', '0 string'],
  async expectImported() {
    // The old volume stays for a day.
    expect(await target.belongings()).toEqual(target.alone({ volumes: 2 }));
    expect(await onTarget(everyKey)).toEqual(before);
    expect(await source.use(everyKey)).toEqual(before);
    await onTarget(async (client) => {
      expect(await client.call('FCALL', 'answer', '0')).toBe(42);
      expect(await client.xinfo('GROUPS', 'stream')).toHaveLength(1);
      const [expiresAt] = (await client.call('HPEXPIRETIME', 'edit', 'FIELDS', '1', 'first')) as number[];
      expect(expiresAt).toBeGreaterThan(Date.now());
    });
  },
  privateHosts: ['127.0.0.1', 'localhost', '[::ffff:10.0.0.1]'],
  refusedHosts: ['169.254.169.254', '[::ffff:169.254.169.254]', '[fe80::1]', '0.0.0.0', '[::]'],
  wrongPassword: { code: 'import_failed', words: /WRONGPASS[^.]*\. Nothing was changed\.$/ },
  emptyUrl: () => urlOf({ path: '/5' }),
});

test('imported data outlives a restart of the server', async () => {
  expect(await importFrom()).toMatchObject({ outcome: 'succeeded' });
  await target.fixture.parts.docker.engine.getContainer(stable(target.live)).restart();
  const read = () => onTarget((client) => client.get('string'));
  await expect.poll(read, { timeout: 20_000 }).toBe('s');
});

test('an import of one logical database takes that one alone, into the same number', async () => {
  expect(await importFrom(urlOf({ path: '/9' }))).toMatchObject({ outcome: 'succeeded' });
  expect(await onTarget((client) => client.dbsize())).toBe(0);
  expect(await onTarget((client) => client.dbsize(), { db: 9 })).toBe(5_002);
});

test('keys that expire meanwhile are left out, and the import is whole all the same', async () => {
  const passing = await startRedisSource([]);
  try {
    await passing.use(async (client) => {
      const writes = client.pipeline();
      for (let at = 0; at < 6_000; at++) writes.set(`passing:${at}`, 'x', 'PX', at + 1);
      await writes.set('stays', 'x').exec();
    });
    expect(await importFrom(`redis://${passing.address}`)).toMatchObject({ outcome: 'succeeded' });
  } finally {
    await passing.remove();
  }
  const keys = () => onTarget((client) => client.keys('*'));
  expect(await keys()).toContain('stays');
  await expect.poll(keys, { timeout: 20_000 }).toEqual(['stays']);
});

test('a name that leads nowhere is refused, even by an import that may replace', async () => {
  await onTarget((client) => client.set('mine', '1'));
  const replacing = spec({ safetyBackupId: testId('backup') });
  expect(await target.run(replacing, { sourceUrl: urlOf({ host: 'nobody.invalid' }) })).toMatchObject({
    code: 'import_refused',
    message: expect.stringMatching(/nobody\.invalid was not found\. .*othing was changed\.$/),
  });
  expect(await holds()).toEqual(['0 mine']);
  expect(await target.belongings()).toEqual(target.alone());
});

/** Long before the end of the large database. */
const firstBytes = 60_000;

test('a source that disconnects in the middle fails the import, and nothing is changed', async () => {
  const way = await heldWay(source.port, firstBytes);
  const running = importFrom(urlOf({ host: '127.0.0.1', port: way.port }));
  await way.reached;
  way.cut();
  expect(await running).toMatchObject({
    code: 'import_failed',
    message: expect.stringMatching(/connection to the source 127\.0\.0\.1:\d+ was lost.*Nothing was changed/),
  });
  expect(await target.belongings()).toEqual(target.alone());
});

test('an import that is aborted while its source is silent ends at once, and nothing is changed', async () => {
  const way = await heldWay(source.port, firstBytes);
  const context = testContext();
  const running = importFrom(urlOf({ host: '127.0.0.1', port: way.port }), { context });
  await way.reached;
  context.abort();
  expect(await running).toMatchObject({ outcome: 'threw', message: 'job stopped: aborted' });
  expect(await target.belongings()).toEqual(target.alone());
});

test.each([
  ['while it fills', 'stop', 1],
  ['when the old container has stopped', 'rename', 1],
  ['when no container has the name', 'rename', 2],
] as const)(
  'an import whose runner dies %s changes nothing, and the database serves',
  async (_, change, count) => {
    await onTarget((client) => client.set('mine', '1'));
    const dying = spec({ safetyBackupId: testId('backup') });
    const { docker, reached } = dockerUntil(target.fixture.parts.docker, change, count);
    await target.runUntil(reached, dying, { sourceUrl: urlOf(), parts: { docker } });
    await target.reconcile();
    expect(await target.recover(dying)).toMatchObject({ code: 'runner_restarted' });
    await expect.poll(() => holds().catch(String), { timeout: 20_000 }).toEqual(['0 mine']);
    expect(await target.belongings()).toEqual(target.alone());
  },
);

test('an import whose runner dies when the new container has the name has succeeded', async () => {
  const dying = spec();
  const { docker, reached } = dockerUntil(target.fixture.parts.docker, 'start', 2);
  await target.runUntil(reached, dying, { sourceUrl: urlOf(), parts: { docker } });
  await target.reconcile();
  expect(await target.recover(dying)).toMatchObject({ outcome: 'succeeded' });
  expect(await onTarget((client) => client.get('string'))).toBe('s');
  expect(await target.belongings()).toEqual(target.alone({ volumes: 2 }));
});
