/** A restore that makes a second copy of a database looks for its room first. */
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeploySpec, RestoreSpec } from '../../../../protocol/job-spec.ts';
import { readDiskSpace } from '../../../../runner/docker/disk-space.ts';
import { readFreeMemory, usedMemory } from '../../../../runner/docker/memory.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { backupPath } from '../../../../runner/storage/backup-files.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { type DeployFixture, deployFixture, stable } from '../../support/deploy-fixture.ts';
import { inspect, testId } from '../../support/docker-host.ts';
import { testContext } from '../../support/job-context.ts';

const secrets = { env: {}, gitToken: null };
let fixture: DeployFixture;
let live: DeploySpec;

beforeAll(async () => {
  fixture = await deployFixture();
  const [hostPort = 0] = await freePorts(1);
  const source = { type: 'database', engine: 'redis', imageRef: 'redis:8' } as const;
  const open = { publicAddress: '127.0.0.1', logicalReplication: false } as const;
  live = fixture.spec({ source: { ...source, ...open }, hostPort });
  const { result } = await fixture.deploy(live, { secrets: { env: { REDIS_PASSWORD: 'secret' } } });
  expect(result.outcome).toBe('succeeded');
});
afterAll(() => fixture?.remove());

test('on a disk of volumes that is too full nothing is made, and the numbers are told', async () => {
  const of = { projectId: live.projectId, serviceId: live.serviceId, engine: 'redis' } as const;
  const [backupId, safetyBackupId] = [testId('backup'), testId('backup')];
  const taking = { kind: 'backup', ...of, backupId, toDisk: true, remoteKey: null } as const;
  const { facts } = await createJobs(fixture.parts).backup.run(taking, secrets, testContext());
  if (!facts.archive) throw new Error('no backup');
  const backup = { id: backupId, serviceId: live.serviceId, ...facts.archive };
  const spec: RestoreSpec = { kind: 'restore', ...of, restoreId: testId('restore'), backup, safetyBackupId };
  const { Id } = await inspect(fixture.parts.docker, stable(live));
  const backups = dirname(backupPath(fixture.host.dataDirectory, live.serviceId, backupId));
  const full = async (path: string) =>
    path === backups ? await readDiskSpace(path) : { freeBytes: 10 ** 6, totalBytes: 10 ** 9 };
  const restoring = createJobs({ ...fixture.parts, readDiskSpace: full }).restore;
  await expect(restoring.run(spec, secrets, testContext())).rejects.toMatchObject({
    code: 'disk_full',
    message: expect.stringMatching(/about 269 MB of disk space, and 1 MB are free .*Nothing was changed/),
  });
  expect(await fixture.host.volumes()).toHaveLength(1);
  expect((await inspect(fixture.parts.docker, stable(live))).Id).toBe(Id);
});

test('what a container holds is counted by Docker, what is free by the kernel', async () => {
  const used = await usedMemory(fixture.parts.docker, stable(live));
  const free = await readFreeMemory();
  expect([used > 10 ** 6, used < 10 ** 9]).toEqual([true, true]);
  expect(free).toBeGreaterThan(10 ** 7);
});
