/** Imports into Redis by the runner's own job: two real servers, of which one is only read. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { reconcile } from '../../../../runner/host/reconcile.ts';
import { redisFixture } from '../../engines/redis-fixture.ts';
import { testId } from '../../support/docker-host.ts';
import { dockerUntil } from '../../support/docker-until.ts';
import { testContext } from '../../support/job-context.ts';
import { type RedisImportScene, redisImportScene } from '../../support/redis-import-scene.ts';
import { everyKey, heldWay, type RedisSource } from '../../support/redis-source.ts';

const password = 'pä"s/s@\\ 1';
const library = "#!lua name=kept\nredis.register_function('answer', function() return 42 end)";

let scene: RedisImportScene;
let source: RedisSource;
let url: string;
const urlOf = ({ host = source.address, port = 6379, path = '' } = {}) =>
  `redis://:${encodeURIComponent(password)}@${host}:${port}${path}`;

beforeAll(async () => {
  scene = await redisImportScene();
  const quoted = password.replace(/["\\]/g, '\\$&');
  source = await scene.started([`requirepass "${quoted}"`], { login: { password } });
  url = urlOf();
  await redisFixture.fill({ host: '127.0.0.1', port: source.port }, { REDIS_PASSWORD: password });
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
});
afterAll(() => scene?.remove());
beforeEach(() => scene.reset());

describe('an import', () => {
  test('brings every key of every logical database, with its bytes, its times and the functions', async () => {
    const context = testContext();
    const before = await source.use(everyKey);
    expect(before.length).toBeGreaterThan(5_000);
    expect(await scene.run({ url, context })).toMatchObject({ outcome: 'succeeded' });
    expect(context.phases.map(({ phase }) => phase)).toEqual(
      expect.arrayContaining(['safeguard', 'load', 'prove', 'switch']),
    );
    expect(await scene.onTarget(everyKey)).toEqual(before);
    expect(await source.use(everyKey)).toEqual(before);
    await scene.onTarget(async (client) => {
      expect(await client.call('FCALL', 'answer', '0')).toBe(42);
      expect(await client.xinfo('GROUPS', 'stream')).toHaveLength(1);
      const [expiresAt] = (await client.call('HPEXPIRETIME', 'edit', 'FIELDS', '1', 'first')) as number[];
      expect(expiresAt).toBeGreaterThan(Date.now());
    });
    expect(await scene.thereIs()).toEqual(scene.alone(1));
  });

  test('outlives a restart of the server that was filled', async () => {
    expect(await scene.run({ url })).toMatchObject({ outcome: 'succeeded' });
    const { docker } = scene.fixture.parts;
    await docker.engine.getContainer(`longshore-${scene.target.serviceId}-stable`).restart();
    const read = () => scene.onTarget((client) => client.get('string'));
    await expect.poll(read, { timeout: 20_000 }).toBe('s');
  });

  test('of one logical database takes that one alone, into the same number', async () => {
    expect(await scene.run({ url: urlOf({ path: '/9' }) })).toMatchObject({ outcome: 'succeeded' });
    expect(await scene.onTarget((client) => client.dbsize())).toBe(0);
    expect(await scene.onTarget((client) => client.dbsize(), { db: 9 })).toBe(5_002);
  });

  test('leaves out keys whose time passes meanwhile, and is whole all the same', async () => {
    const passing = await scene.started([]);
    await passing.use(async (client) => {
      const writes = client.pipeline();
      for (let at = 0; at < 6_000; at++) writes.set(`passing:${at}`, 'x', 'PX', at + 1);
      await writes.set('stays', 'x').exec();
    });
    expect(await scene.run({ url: `redis://${passing.address}` })).toMatchObject({ outcome: 'succeeded' });
    const keys = () => scene.onTarget((client) => client.keys('*'));
    expect(await keys()).toContain('stays');
    await expect.poll(keys, { timeout: 20_000 }).toEqual(['stays']);
  });

  test('into a database that holds keys is refused, in whichever logical one they are', async () => {
    const mine = () => scene.onTarget((client) => client.get('mine'), { db: 3 });
    await scene.onTarget((client) => client.set('mine', '1'), { db: 3 });
    expect(await scene.run({ url })).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/holds 1 rows in 1 tables.*"replace": true/),
    });
    expect(await mine()).toBe('1');
  });

  test.each([
    ['an empty logical database', () => urlOf({ path: '/5' }), 'The source holds nothing (database 5): '],
    ['a name that leads nowhere', () => urlOf({ host: 'nobody.invalid' }), 'nobody.invalid was not found. '],
  ])('of %s is refused, also when it may replace what is there', async (_, empty, words) => {
    await scene.onTarget((client) => client.set('mine', '1'));
    const spec = scene.importSpec({ safetyBackupId: testId('backup') });
    const ended = await scene.run({ url: empty(), spec });
    expect(ended).toMatchObject({
      code: 'import_refused',
      message: expect.stringContaining(words),
    });
    expect(ended).toMatchObject({ message: expect.stringMatching(/othing was changed\.$/) });
    expect(await scene.onTarget((client) => client.keys('*'))).toEqual(['mine']);
    expect(await scene.thereIs()).toEqual(scene.alone());
  });

  test('that may replace backs up what is there first', async () => {
    await scene.onTarget((client) => client.mset('mine', '1', 'too', '2'), { db: 3 });
    const spec = scene.importSpec({ safetyBackupId: testId('backup') });
    expect(await scene.run({ url, spec })).toMatchObject({
      outcome: 'succeeded',
      facts: { archive: { tables: 1, rows: 2 } },
    });
    expect(await scene.onTarget((client) => client.dbsize(), { db: 3 })).toBe(0);
    expect(await scene.onTarget((client) => client.get('string'))).toBe('s');
  });
});

describe('an import that breaks off', () => {
  /** Long before the end of the large database. */
  const firstBytes = 60_000;

  test('since its source goes away in the middle says so, and has changed nothing', async () => {
    const way = await heldWay(source.port, firstBytes);
    const running = scene.run({ url: urlOf({ host: '127.0.0.1', port: way.port }) });
    await way.reached;
    way.cut();
    expect(await running).toMatchObject({
      code: 'import_failed',
      message: expect.stringMatching(
        /connection to the source 127\.0\.0\.1:\d+ was lost.*Nothing was changed/,
      ),
    });
    expect(await scene.thereIs()).toEqual(scene.alone());
  });

  test('by an abort while its source is silent ends at once, and has changed nothing', async () => {
    const way = await heldWay(source.port, firstBytes);
    const context = testContext();
    const running = scene.run({ url: urlOf({ host: '127.0.0.1', port: way.port }), context });
    await way.reached;
    context.abort();
    expect(await running).toMatchObject({ outcome: 'threw', message: 'job stopped: aborted' });
    expect(await scene.thereIs()).toEqual(scene.alone());
  });

  test('without permission has changed nothing', async () => {
    const context = testContext({ grant: () => false });
    expect(await scene.run({ url, context })).toMatchObject({ code: 'switch_denied' });
    expect(await scene.onTarget((client) => client.dbsize())).toBe(0);
    expect(await scene.thereIs()).toEqual(scene.alone());
  });

  test.each([
    ['while it fills', 'stop', 1],
    ['when the old container has stopped', 'rename', 1],
    ['when no container has the name', 'rename', 2],
  ] as const)(
    'by the death of its runner %s has changed nothing, and the database serves',
    async (_, change, count) => {
      await scene.onTarget((client) => client.set('mine', '1'));
      const spec = scene.importSpec({ safetyBackupId: testId('backup') });
      const { docker, reached } = dockerUntil(scene.fixture.parts.docker, change, count);
      void scene.run({ url, spec, docker });
      await reached;
      await reconciledAfterDeath();
      expect(await scene.recover(spec)).toMatchObject({ code: 'runner_restarted' });
      await expect
        .poll(() => scene.onTarget((client) => client.keys('*')), { timeout: 20_000 })
        .toEqual(['mine']);
      expect(await scene.thereIs()).toEqual(scene.alone());
    },
  );

  test('by the death of its runner when the new container has the name ends as succeeded', async () => {
    const spec = scene.importSpec();
    const { docker, reached } = dockerUntil(scene.fixture.parts.docker, 'start', 2);
    await scene.runUntil(reached, { url, spec, docker });
    await reconciledAfterDeath();
    expect(await scene.recover(spec)).toMatchObject({ outcome: 'succeeded' });
    expect(await scene.onTarget((client) => client.get('string'))).toBe('s');
    expect(await scene.thereIs()).toEqual(scene.alone(1));
  });
});

/** The runner's next start looks at the host before it recovers its jobs. */
const reconciledAfterDeath = () =>
  reconcile({ ...scene.fixture.parts, say: () => {} }, () => ({
    deployments: new Set<string>(),
    containers: new Set<string>(),
    restored: new Set([scene.target.serviceId]),
  }));
