/** Backups and restores of Redis by the runner's own jobs: a new volume and a switch of containers, with the real server. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ArchiveFacts, JobResult } from '../../../../protocol/job-report.ts';
import type { BackupSpec, DeploySpec, RestoreSpec } from '../../../../protocol/job-spec.ts';
import { systemClock } from '../../../../runner/base/clock.ts';
import { reconcile } from '../../../../runner/host/reconcile.ts';
import { removeOldData } from '../../../../runner/jobs/data/remove-old-data.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { backupPath } from '../../../../runner/storage/backup-files.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { type DeployFixture, deployFixture, stable } from '../../support/deploy-fixture.ts';
import { inspect, testId } from '../../support/docker-host.ts';
import { dockerUntil } from '../../support/docker-until.ts';
import { flipByte } from '../../support/flip-byte.ts';
import { type TestContext, testContext } from '../../support/job-context.ts';

const env = { REDIS_PASSWORD: `it's "so" \\ zë` };
const secrets = { env: {}, gitToken: null };
const bytes = Buffer.from([0xff, 0x00, 0x80]);

let fixture: DeployFixture;
let live: DeploySpec;

beforeAll(async () => {
  fixture = await deployFixture();
  const [hostPort = 0] = await freePorts(1);
  live = fixture.spec({
    source: {
      type: 'database',
      engine: 'redis',
      imageRef: 'redis:8',
      publicAddress: '127.0.0.1',
      logicalReplication: false,
    },
    hostPort,
    memoryLimitMb: 256,
    cpuLimit: 1,
  });
  expect((await fixture.deploy(live, { secrets: { env } })).result.outcome).toBe('succeeded');
});
afterAll(() => fixture?.remove());

async function redis<T>(use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ port: live.hostPort, password: env.REDIS_PASSWORD });
  client.on('error', () => {});
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

const outcome = (running: Promise<JobResult>) =>
  running.catch((error: { code?: string; message: string }) => ({
    outcome: 'threw' as const,
    ...error,
    message: error.message,
  }));

const of = () => ({ projectId: live.projectId, serviceId: live.serviceId, engine: 'redis' as const });
const pathOf = (backupId: string) => backupPath(fixture.host.dataDirectory, live.serviceId, backupId);
const filesThere = () => readdir(dirname(pathOf('x'))).catch(() => []);

async function backedUp(): Promise<{ id: string; facts: ArchiveFacts }> {
  const backupId = testId('backup');
  const spec: BackupSpec = { kind: 'backup', ...of(), backupId, toDisk: true, remoteKey: null };
  const result = await createJobs(fixture.parts).backup.run(spec, secrets, testContext());
  if (!result.facts.archive) throw new Error(`no backup: ${JSON.stringify(result)}`);
  return { id: backupId, facts: result.facts.archive };
}

const restoreSpec = ({ id, facts }: Awaited<ReturnType<typeof backedUp>>): RestoreSpec => ({
  kind: 'restore',
  ...of(),
  restoreId: testId('restore'),
  backup: { id, serviceId: live.serviceId, ...facts },
  safetyBackupId: testId('backup'),
});
const restore = (spec: RestoreSpec, context: TestContext = testContext(), docker = fixture.parts.docker) =>
  outcome(createJobs({ ...fixture.parts, docker }).restore.run(spec, secrets, context));
const recover = (spec: RestoreSpec) =>
  outcome(createJobs(fixture.parts).restore.recover(spec, {}, testContext()));
const answer = () => redis((client) => client.get('answer'));
/** What is on the host of this service: one container and one volume unless a restore has put one aside. */
const thereIs = async () => ({
  containers: (await fixture.host.leftovers()).filter(
    (name) => name.includes(`${live.serviceId}-`) && !/dep_/.test(name),
  ),
  volumes: (await fixture.host.volumes()).length,
});
const alone = () => ({ containers: [stable(live)], volumes: 1 });
const forgetOld = async () => {
  for (const { serviceId, engine, suffix } of fixture.oldData.splice(0)) {
    const due = { serviceId, engine, suffix, dueAt: 0 };
    await removeOldData(
      { docker: fixture.parts.docker, clock: systemClock },
      due,
      AbortSignal.timeout(60_000),
    );
  }
};

beforeEach(async () => {
  await forgetOld();
  await redis(async (client) => {
    await client.flushall();
    await client.set('answer', '42');
  });
});

describe('a backup', () => {
  test('is the RDB file of that moment, whole by itself, and counts keys and logical databases', async () => {
    await redis(async (client) => {
      await client.set('passing', 'x', 'PX', 3_600_000);
      await client.select(9);
      await client.set(bytes, bytes);
    });
    const { id, facts } = await backedUp();
    expect(facts).toMatchObject({ localPath: pathOf(id), tables: 2, rows: 3, remoteKey: null });
    const file = Buffer.concat(await createReadStream(pathOf(id)).toArray());
    expect(file.subarray(0, 5).toString()).toBe('REDIS');
    expect([file.length, file.at(-9)]).toEqual([facts.sizeBytes, 0xff]); // and its eight bytes of checksum
  });

  test('of a database without a key is one of nothing', async () => {
    await redis((client) => client.flushall());
    const backup = await backedUp();
    expect(backup.facts).toMatchObject({ tables: 0, rows: 0 });
    await redis((client) => client.set('later', '1'));
    expect(await restore(restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
    expect(await redis((client) => client.dbsize())).toBe(0);
  });
});

describe('a restore', () => {
  test('brings all keys, types and times back, on a container like the one before', async () => {
    await redis(async (client) => {
      await client.hset('we-ird "t" ; -- `\u0000', { ünï: '💧', lines: 'a\r\n\u0000b' });
      await client.zadd('zset', 1, 'a', 2.5, 'b');
      await client.xadd('stream', '1-1', 'a', '1');
      await client.rpush('list', ...Array.from({ length: 5_000 }, (_, at) => `v${at}`));
      await client.set('soon', 'x', 'PX', 3_600_000);
      await client.select(9);
      await client.set(bytes, bytes);
    });
    const before = await inspect(fixture.parts.docker, stable(live));
    const backup = await backedUp();
    await redis(async (client) => {
      await client.flushall();
      await client.set('answer', '1');
    });
    const spec = restoreSpec(backup);
    expect(await restore(spec)).toMatchObject({ outcome: 'succeeded', facts: { archive: { rows: 1 } } });
    await redis(async (client) => {
      expect(await client.get('answer')).toBe('42');
      expect(await client.hgetall('we-ird "t" ; -- `\u0000')).toEqual({ ünï: '💧', lines: 'a\r\n\u0000b' });
      expect(await client.zrange('zset', '0', '-1', 'WITHSCORES')).toEqual(['a', '1', 'b', '2.5']);
      expect(await client.xrange('stream', '-', '+')).toEqual([['1-1', ['a', '1']]]);
      expect(await client.llen('list')).toBe(5_000);
      expect(await client.pttl('soon')).toBeGreaterThan(0);
      expect(await client.dbsize()).toBe(6);
      await client.select(9);
      expect(await client.getBuffer(bytes)).toEqual(bytes);
    });
    const after = await inspect(fixture.parts.docker, stable(live));
    const settingsOf = ({ Image, Config, HostConfig }: typeof before) => {
      const { Env, Cmd, Entrypoint, Labels, ExposedPorts } = Config;
      const { Mounts: _, ...limits } = HostConfig;
      return { Image, Env, Cmd, Entrypoint, Labels, ExposedPorts, limits };
    };
    expect(settingsOf(after)).toEqual(settingsOf(before));
    expect(Object.values(after.NetworkSettings.Networks)[0]?.IPAMConfig).toEqual(
      Object.values(before.NetworkSettings.Networks)[0]?.IPAMConfig,
    );
    expect(await fixture.aliasesOf(stable(live))).toContain(live.serviceSlug);
    // The volume before stays for a day.
    expect(await thereIs()).toEqual({ ...alone(), volumes: 2 });
    await forgetOld();
    expect(await thereIs()).toEqual(alone());
    expect(await answer()).toBe('42');
  });

  test('counts a key whose time has passed meanwhile as restored, and leaves it out', async () => {
    await redis((client) => client.set('passing', 'x', 'PX', 300));
    const backup = await backedUp();
    expect(backup.facts.rows).toBe(2);
    await expect.poll(() => redis((client) => client.exists('passing'))).toBe(0);
    expect(await restore(restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
    expect(await redis((client) => client.keys('*'))).toEqual(['answer']);
  });

  test('outlives a restart of the server and the next deployment, which takes the restored volume', async () => {
    const backup = await backedUp();
    await redis((client) => client.set('answer', '1'));
    expect(await restore(restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
    await fixture.parts.docker.engine.getContainer(stable(live)).restart();
    await expect.poll(answer, { timeout: 20_000 }).toBe('42');
    await redis((client) => client.set('since', 'x'));
    const next = fixture.spec({}, live);
    expect((await fixture.deploy(next, { secrets: { env } })).result.outcome).toBe('succeeded');
    await fixture.retireNow();
    await forgetOld();
    expect(await redis((client) => client.mget('answer', 'since'))).toEqual(['42', 'x']);
    expect(await thereIs()).toEqual(alone());
  });

  test('of a file with one flipped byte is refused, and nothing was touched', async () => {
    const backup = await backedUp();
    await flipByte(pathOf(backup.id), backup.facts.sizeBytes);
    const files = await filesThere();
    expect(await restore(restoreSpec(backup))).toMatchObject({ code: 'backup_damaged' });
    expect(await filesThere()).toEqual(files);
    expect(await thereIs()).toEqual(alone());
  });

  test('that finds other keys than were saved, or has no permission, leaves the live data and nothing else', async () => {
    const backup = await backedUp();
    await redis((client) => client.set('answer', '7'));
    const more = { ...backup, facts: { ...backup.facts, rows: backup.facts.rows + 1 } };
    expect(await restore(restoreSpec(more))).toMatchObject({
      code: 'restore_failed',
      message: expect.stringMatching(/2 rows in 1 tables, and 1 in 1 were loaded. Nothing was changed/),
    });
    const denied = testContext({ grant: async () => false });
    expect(await restore(restoreSpec(backup), denied)).toMatchObject({ code: 'switch_denied' });
    expect(await answer()).toBe('7');
    expect(await thereIs()).toEqual(alone());
  });

  test('whose container can not serve brings the old one back', async () => {
    const backup = await backedUp();
    await redis((client) => client.set('answer', '7'));
    const spec = restoreSpec(backup);
    const taken = testContext({
      async grant() {
        // Whatever it is that goes wrong: here the loaded data is damaged.
        const suffix = spec.restoreId.replace(/^.*_/, '');
        await spoil(`longshore-${live.serviceId}-data-${suffix}`);
        return true;
      },
    });
    expect(await restore(spec, taken)).toMatchObject({ code: 'restore_failed' });
    expect(await answer()).toBe('7');
    expect(await thereIs()).toEqual(alone());
  });
});

describe('a restore whose runner dies', () => {
  test.each([
    ['while it loads', 'stop', 1],
    ['before the old container stops', 'stop', 3],
    ['when the old container has stopped', 'rename', 1],
    ['when no container has the name', 'rename', 2],
  ] as const)('%s has changed nothing, and the database serves again', async (_, change, count) => {
    const spec = restoreSpec(await backedUp());
    await redis((client) => client.set('answer', '43'));
    const { docker, reached } = dockerUntil(fixture.parts.docker, change, count);
    void restore(spec, testContext(), docker);
    await reached;
    await reconciledAfterDeath();
    expect(await recover(spec)).toMatchObject({ code: 'runner_restarted' });
    await expect.poll(answer, { timeout: 20_000 }).toBe('43');
    expect(await thereIs()).toEqual(alone());
  });

  test('when the new container has the name ends as succeeded', async () => {
    const spec = restoreSpec(await backedUp());
    await redis((client) => client.set('answer', '43'));
    // The engine that loads is started twice.
    const { docker, reached } = dockerUntil(fixture.parts.docker, 'start', 3);
    void restore(spec, testContext(), docker);
    await reached;
    await reconciledAfterDeath();
    expect(await recover(spec)).toMatchObject({ outcome: 'succeeded' });
    expect(await answer()).toBe('42');
    expect(await thereIs()).toEqual({ ...alone(), volumes: 2 });
    // Told again, it is the same.
    expect(await recover(spec)).toMatchObject({ outcome: 'succeeded' });
    expect(await answer()).toBe('42');
  });
});

/** The runner's next start looks at the host before it recovers its jobs. */
const reconciledAfterDeath = () =>
  reconcile({ ...fixture.parts, say: () => {} }, () => ({
    deployments: new Set<string>(),
    containers: new Set<string>(),
    restored: new Set([live.serviceId]),
  }));

/** Puts rubbish where the server of this volume begins to read. */
async function spoil(volume: string): Promise<void> {
  const container = await fixture.parts.docker.engine.createContainer({
    Image: 'redis:8',
    Entrypoint: ['sh', '-c', 'for file in /data/appendonlydir/*.rdb; do echo rubbish > "$file"; done'],
    Labels: { 'longshore.instance': fixture.parts.docker.instance },
    HostConfig: { Mounts: [{ Type: 'volume', Source: volume, Target: '/data' }] },
  });
  await container.start();
  await container.wait();
  await container.remove({ force: true });
}
