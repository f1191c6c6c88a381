/** The disk becomes really full while files are restored, or the bucket goes away: the service has its old files, all of them. */
import { readFile, rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobPhase } from '../../../../../protocol/job-report.ts';
import { type DeployFixture, deployFixture } from '../../../../support/docker/deploy-fixture.ts';
import { testId } from '../../../../support/docker/docker-host.ts';
import { enough, type SmallDisk, smallDisk } from '../../../../support/docker/small-disk.ts';
import {
  deployVolume,
  type StoredVolume,
  type TestVolume,
  volumeDirectory,
} from '../../../../support/docker/use-volume.ts';
import { testContext } from '../../../../support/runner/job-context.ts';
import { copyServer } from '../../../../support/servers/copy-server.ts';

const bytes = 8_000_000;
let fixture: DeployFixture;
let disk: SmallDisk;
let service: TestVolume;
let backup: StoredVolume;
let before: { files: string; volumes: string[]; backups: string };

beforeAll(async () => {
  fixture = await deployFixture();
  disk = await smallDisk(fixture.parts.docker);
  const readDiskSpace = async () => ({ freeBytes: 1e12, totalBytes: 1e12 });
  Object.assign(fixture.parts, { docker: disk.docker, readDiskSpace });
  service = await deployVolume(fixture);
  await service.inside(`head -c ${bytes} /dev/urandom > ${volumeDirectory}/saved`);
  backup = await service.backUp();
  await service.inside(`cd ${volumeDirectory} && rm saved && mkdir -p deep && echo live > deep/value`);
  before = { files: await service.listing(), volumes: await fixture.host.volumes(), backups: backup.id };
});
afterAll(async () => {
  disk?.leave(enough);
  await fixture?.remove();
  await disk?.remove();
});

function fullAt(phase: JobPhase, freeBytes: number) {
  const context = testContext();
  const { enter } = context;
  let isFull = false;
  context.enter = (entered, facts) => {
    enter(entered, facts);
    if (entered !== phase || isFull) return;
    isFull = true;
    disk.leave(freeBytes);
  };
  return context;
}

async function assertOldFiles(): Promise<void> {
  disk.leave(enough);
  await expect.poll(() => fixture.answer(service.live).catch(String)).toBe('new');
  const starts = /^.*starts.*$/gm;
  expect((await service.listing()).replace(starts, '')).toBe(before.files.replace(starts, ''));
  expect(await service.inside(`cat ${volumeDirectory}/deep/value`)).toBe('live\n');
  expect(await fixture.host.volumes()).toEqual(before.volumes);
}

test.each<[JobPhase, number]>([
  ['load', 0],
  ['load', bytes / 2],
  ['switch', 0],
  ['switch', bytes / 2],
])(
  'a restore whose disk is full from %s on, with %i bytes left, brings the old files back',
  async (phase, left) => {
    const spec = service.restoreSpec(backup);
    expect(await service.run(spec, fullAt(phase, left))).toMatchObject({
      code: expect.stringMatching(/^(disk_full|restore_failed)$/),
      message: expect.stringMatching(/(No space left|Nothing was changed).*/),
    });
    await rm(service.pathOf(spec.safetyBackupId), { force: true });
    await assertOldFiles();
  },
);

test.each([
  ['a drill', () => service.drillSpec(backup)],
  [
    'a move to this host',
    () =>
      service.fillSpec(backup, {
        serviceId: testId('service'),
        volume: { id: testId('volume'), name: 'data', sizeMb: null },
      }),
  ],
])('%s whose disk is full leaves nothing', async (_, spec) => {
  expect(await service.run(spec(), fullAt('load', bytes / 2))).toMatchObject({ code: 'disk_full' });
  await assertOldFiles();
});

test('a restore whose bucket goes away in the middle of the file changes nothing, and succeeds when it is back', async () => {
  let isAway = true;
  const copies = await copyServer((step, times) =>
    isAway && step === 'read' ? (times === 1 ? 'break' : 409) : undefined,
  );
  copies.object = await readFile(service.pathOf(backup.id));
  Object.assign(fixture.parts, { controlPlaneUrl: copies.url });
  const remote = { ...backup, id: testId('backup'), localPath: null, remoteKey: 'key' };
  const run = () =>
    service.run(
      service.restoreSpec(remote),
      { ...testContext(), jobId: 'job_1' },
      { transferToken: 'token' },
    );
  expect(await run()).toMatchObject({ code: 'backup_damaged' });
  await assertOldFiles();
  isAway = false;
  expect(await run()).toMatchObject({ outcome: 'succeeded' });
  expect(await service.inside(`stat -c %s ${volumeDirectory}/saved`)).toBe(`${bytes}\n`);
});
