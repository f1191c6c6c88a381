/** A restore that makes a second copy of a database looks for its room first. */
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { readDiskSpace } from '../../../../runner/docker/disk-space.ts';
import { readFreeMemory, usedMemory } from '../../../../runner/docker/memory.ts';
import { stable } from '../../../support/docker/deploy-fixture.ts';
import { inspect } from '../../../support/docker/docker-host.ts';
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

test('Docker counts the memory a container holds, the kernel what is free', async () => {
  const database = databases.redis;
  const used = await usedMemory(database.fixture.parts.docker, stable(database.live));
  const free = await readFreeMemory();
  expect([used > 10 ** 6, used < 10 ** 9]).toEqual([true, true]);
  expect(free).toBeGreaterThan(10 ** 7);
});
