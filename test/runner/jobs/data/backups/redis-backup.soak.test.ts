/** Backups and restores of Redis by the runner's own jobs: a new volume and a switch of containers, with the real server. */
import type { Redis } from 'ioredis';
import { beforeEach, expect, test } from 'vitest';
import { startSettingsFile } from '../../../../../runner/engines/archive/changed-settings.ts';
import { stable } from '../../../../support/docker/deploy-fixture.ts';
import { inspect, testId } from '../../../../support/docker/docker-host.ts';
import { withRedis } from '../../../../support/docker/redis-source.ts';
import { useDatabase } from '../../../../support/docker/use-databases.ts';
import { testContext } from '../../../../support/runner/job-context.ts';
import { backupContract } from './backup-contract.ts';

const env = { REDIS_PASSWORD: `it's "so" \\ zë` };
const limits = { memoryLimitMb: 256, cpuLimit: 1 };
const database = useDatabase({ engine: 'redis', image: 'redis:8', env, limits });
const odd = 'we-ird "t" ; -- `\u0000';
const bytes = Buffer.from([0xff, 0x00, 0x80]);

const redis = <T>(use: (client: Redis) => Promise<T>) =>
  withRedis({ port: database.port, password: env.REDIS_PASSWORD }, use);
const set = (key: string, value: number) => redis((client) => client.set(key, value));

beforeEach(() =>
  redis(async (client) => {
    await client.flushall();
    await client.hset(odd, { ünï: '💧', lines: 'a\r\n\u0000b' });
    await client.zadd('zset', 1, 'a', 2.5, 'b');
    await client.xadd('stream', '1-1', 'a', '1');
    await client.rpush('list', ...Array.from({ length: 5_000 }, (_, at) => `v${at}`));
    await client.set('soon', 'x', 'PX', 3_600_000);
    await client.select(9);
    await client.set(bytes, bytes);
  }),
);

backupContract({
  database,
  magic: 'REDIS',
  counts: { tables: 2, rows: 7 },
  answer: () => redis((client) => client.get('answer')),
  setAnswer: (value) => set('answer', value),
  damage: () => redis((client) => client.flushall()),
  expectWhole: () =>
    redis(async (client) => {
      expect(await client.get('answer')).toBe('42');
      expect(await client.hgetall(odd)).toEqual({ ünï: '💧', lines: 'a\r\n\u0000b' });
      expect(await client.zrange('zset', '0', '-1', 'WITHSCORES')).toEqual(['a', '1', 'b', '2.5']);
      expect(await client.xrange('stream', '-', '+')).toEqual([['1-1', ['a', '1']]]);
      expect(await client.llen('list')).toBe(5_000);
      expect(await client.pttl('soon')).toBeGreaterThan(0);
      expect(await client.dbsize()).toBe(6);
      await client.select(9);
      expect(await client.getBuffer(bytes)).toEqual(bytes);
    }),
  deaths: {
    changesNothing: [
      ['while it loads', 'stop', 1],
      ['before the old container stops', 'stop', 3],
      ['when the old container has stopped', 'rename', 1],
      ['when no container has the name', 'rename', 2],
    ],
    starts: 3, // the engine that loads is started twice
  },
});

test('a backup of a database without a key holds nothing, and a restore of it empties the database', async () => {
  await redis((client) => client.flushall());
  const backup = await database.backUp();
  expect(backup).toMatchObject({ tables: 0, rows: 0 });
  await set('later', 1);
  expect(await database.run(database.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
  expect(await redis((client) => client.dbsize())).toBe(0);
});

test('users made by ACL SETUSER outlive deployments and restores, and the default user keeps the password of the service', async () => {
  const asApp = () =>
    withRedis({ port: database.port, username: 'app', password: 'app-secret' }, (client) =>
      client.get('answer'),
    );
  await redis((client) => client.call('ACL', 'SETUSER', 'app', 'on', '>app-secret', '~answer', '+get'));
  await set('answer', 42);
  const notKept = [expect.stringContaining('the users app,')];
  expect(await database.run(database.backupSpec())).toMatchObject({ facts: { archive: { notKept } } });
  const backup = await database.backUp();
  await database.deployAgain();
  expect(await asApp()).toBe('42');
  await redis((client) => client.call('ACL', 'SETUSER', 'late', 'on', '>late-secret', '+ping'));
  expect(await database.run(database.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
  expect(await asApp()).toBe('42');
  await redis((client) => client.call('ACL', 'DELUSER', 'app'));
  await database.deployAgain();
  expect(await redis((client) => client.call('ACL', 'USERS'))).toEqual(['default', 'late']);
  await expect(asApp()).rejects.toThrow(/WRONGPASS/);
  const open = { port: database.port, password: '' };
  await expect(withRedis(open, (client) => client.get('answer'))).rejects.toThrow(/NOAUTH/);
  await redis((client) => client.call('ACL', 'DELUSER', 'late'));
});

test('a backup names what CONFIG SET has changed since the start, and says so when the start is not known', async () => {
  const notKept = async () =>
    ((await database.backUp()) as { notKept?: readonly string[] }).notKept?.join(' ') ?? '';
  await redis(async (client) => {
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await client.config('SET', 'masterauth', 'secret');
  });
  expect(await notKept()).toMatch(/^Settings made with CONFIG SET .*: masterauth, maxmemory-policy\.$/);
  const backup = await database.backUp();
  expect(await database.run(database.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
  expect(await notKept()).toBe('');
  await database.deployAgain();
  expect(await notKept()).toBe('');
  await database.printed(['rm', startSettingsFile]); // as if an older runner had started it
  expect(await notKept()).toMatch(/not known which they are: deploy this service once/);
  await database.deployAgain();
});

test('a restore of data that needs more memory than the service may take is refused with the numbers', async () => {
  const file = await database.backUpBytes();
  const at = file.indexOf('used-mem') + 'used-mem'.length;
  expect(file.readUInt8(at)).toBe(0xc2);
  file.writeInt32LE(10 ** 9, at + 1);
  const refused = await database.importFile(withoutChecksum(file), { safetyBackupId: testId('backup') });
  expect(refused).toMatchObject({
    code: 'import_failed',
    message: expect.stringMatching(/used 1,000 MB of memory .* may use 269 MB.*Nothing was changed/),
  });
});

/** Redis doesn't check a checksum of zero. */
function withoutChecksum(file: Buffer): Buffer {
  file.fill(0, file.length - 8);
  return file;
}

test('the restored container has the settings, the address and the aliases of the one before', async () => {
  const before = await inspect(database.fixture.parts.docker, stable(database.live));
  const backup = await database.backUp();
  expect(await database.run(database.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
  const after = await inspect(database.fixture.parts.docker, stable(database.live));
  const settingsOf = ({ Image, Config, HostConfig }: typeof before) => {
    const { Env, Cmd, Entrypoint, Labels, ExposedPorts } = Config;
    const { Mounts: _, ...limits } = HostConfig;
    return { Image, Env, Cmd, Entrypoint, Labels, ExposedPorts, limits };
  };
  expect(after.Id).not.toBe(before.Id);
  expect(settingsOf(after)).toEqual(settingsOf(before));
  expect(Object.values(after.NetworkSettings.Networks)[0]?.IPAMConfig).toEqual(
    Object.values(before.NetworkSettings.Networks)[0]?.IPAMConfig,
  );
  expect(await redis((client) => client.config('GET', 'maxmemory'))).toEqual([
    'maxmemory',
    String(192 * 2 ** 20),
  ]);
  const aliases = await database.fixture.aliasesOf(stable(database.live));
  expect(aliases).toContain(database.live.serviceSlug);
});

test('a key that expires between backup and restore counts as restored, and is left out', async () => {
  await redis(async (client) => {
    await client.flushall();
    await client.mset('answer', '42', 'passing', 'x');
    await client.pexpire('passing', 3_000);
  });
  const backup = await database.backUp();
  expect(backup.rows).toBe(2);
  await expect.poll(() => redis((client) => client.exists('passing')), { timeout: 10_000 }).toBe(0);
  expect(await database.run(database.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
  expect(await redis((client) => client.keys('*'))).toEqual(['answer']);
});

test('a restore whose container cannot serve brings the old one back', async () => {
  const spec = database.restoreSpec(await database.backUp());
  await set('answer', 7);
  const context = testContext({
    async grant() {
      // Whatever it is that goes wrong: here the loaded data is damaged.
      const suffix = spec.restoreId.replace(/^.*_/, '');
      await spoil(`longshore-${spec.serviceId}-data-${suffix}`);
      return true;
    },
  });
  expect(await database.run(spec, { context })).toMatchObject({ code: 'restore_failed' });
  expect(await redis((client) => client.get('answer'))).toBe('7');
  expect(await database.belongings()).toEqual(database.alone());
});

/** Puts rubbish where the server of this volume begins to read. */
async function spoil(volume: string): Promise<void> {
  const { docker } = database.fixture.parts;
  const container = await docker.engine.createContainer({
    Image: 'redis:8',
    Entrypoint: ['sh', '-c', 'for file in /data/appendonlydir/*.rdb; do echo rubbish > "$file"; done'],
    Labels: { 'longshore.instance': docker.instance },
    HostConfig: { Mounts: [{ Type: 'volume', Source: volume, Target: '/data' }] },
  });
  await container.start();
  await container.wait();
  await container.remove({ force: true });
}
