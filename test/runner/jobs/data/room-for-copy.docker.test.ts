/** A restore that makes a second copy of a database looks for its room first. */
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { readDiskSpace } from '../../../../runner/docker/disk-space.ts';
import { readFreeMemory, usedMemory } from '../../../../runner/docker/memory.ts';
import { engines } from '../../../../runner/engines/index.ts';
import { refuseTooLittleDisk } from '../../../../runner/jobs/data/room-for-copy.ts';
import { stable } from '../../../support/docker/deploy-fixture.ts';
import { inspect, testId } from '../../../support/docker/docker-host.ts';
import { useDatabases } from '../../../support/docker/use-databases.ts';
import { env, image } from '../../engines/clickhouse-fixture.ts';

const databases = useDatabases({
  redis: { engine: 'redis', image: 'redis:8', env: { REDIS_PASSWORD: 'secret' } },
  clickhouse: { engine: 'clickhouse', image, env },
  postgres: { engine: 'postgres', image: 'postgres:17', env: { POSTGRES_PASSWORD: 'secret' } },
});

test.each(['redis', 'clickhouse', 'postgres'] as const)(
  'a restore of %s onto a full disk of volumes makes nothing and reports the numbers',
  async (name) => {
    const database = databases[name];
    const { docker } = database.fixture.parts;
    const backup = await database.backUp();
    const { Id } = await inspect(docker, stable(database.live));
    const backups = dirname(database.pathOf(backup.id));
    const full = async (path: string) =>
      path === backups ? await readDiskSpace(path) : { freeBytes: 10 ** 6, totalBytes: 10 ** 9 };
    expect(
      await database.run(database.restoreSpec(backup), { parts: { readDiskSpace: full } }),
    ).toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(
        /about 269 MB of disk space, but only 1 MB are free .*Nothing was changed/,
      ),
    });
    expect(await database.belongings()).toEqual(database.alone());
    expect((await inspect(docker, stable(database.live))).Id).toBe(Id);
  },
);

/** The disk of the volumes has room for the first looks, and then none. */
async function fillingUp(name: 'redis' | 'postgres', looks: number) {
  const { DockerRootDir } = await databases[name].fixture.parts.docker.engine.info();
  let left = looks;
  return async (path: string) =>
    path === DockerRootDir && left-- <= 0 ? { freeBytes: 10 ** 6, totalBytes: 10 ** 9 } : readDiskSpace(path);
}

test.each(['redis', 'postgres'] as const)(
  'an import of a file into %s onto a full disk of volumes makes nothing and reports the numbers',
  async (name) => {
    const database = databases[name];
    const bytes = await database.backUpBytes();
    const parts = { readDiskSpace: await fillingUp(name, 0) };
    const more = { safetyBackupId: testId('backup') };
    expect(await database.importFile(bytes, more, undefined, parts)).toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(
        /about 269 MB of disk space, but only 1 MB are free .*Nothing was changed/,
      ),
    });
    expect(await database.belongings()).toEqual(database.alone());
  },
);

test.each([
  ['redis', 5_000],
  ['mongodb', 6_039], // with its oplog
] as const)('a file of 1 GB needs %s to have %i MB', async (name, megabytes) => {
  const { docker } = databases.redis.fixture.parts;
  const look = (freeBytes: number) =>
    refuseTooLittleDisk(
      { docker, readDiskSpace: async () => ({ freeBytes, totalBytes: 10 ** 12 }) },
      10 ** 9,
      engines[name],
    );
  await look(megabytes * 10 ** 6);
  await expect(look((megabytes - 1) * 10 ** 6)).rejects.toThrow(/needs about/);
});

test('a load is stopped before it fills the disk, and nothing is left of it', async () => {
  const database = databases.redis;
  const backup = await database.backUp();
  const parts = { readDiskSpace: await fillingUp('redis', 2) };
  expect(await database.run(database.restoreSpec(backup), { parts })).toMatchObject({
    code: 'disk_full',
    message: expect.stringMatching(
      /^The load was stopped before the disk .* only 1 MB are left .*Nothing was changed/,
    ),
  });
  expect(await database.belongings()).toEqual(database.alone());
});

test('Docker counts the memory a container holds, the kernel what is free', async () => {
  const database = databases.redis;
  const used = await usedMemory(database.fixture.parts.docker, stable(database.live));
  const free = await readFreeMemory();
  expect([used > 10 ** 6, used < 10 ** 9]).toEqual([true, true]);
  expect(free).toBeGreaterThan(10 ** 7);
});
