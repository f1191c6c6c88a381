/** A backup of a volume has every file as it was, and its restore brings exactly them back. */
import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, expect, test, vi } from 'vitest';
import { serviceVolumeName } from '../../../../../protocol/names.ts';
import { removeVolume } from '../../../../../runner/docker/volumes.ts';
import { createVolumeDrillJob } from '../../../../../runner/jobs/data/files/drill-volume.ts';
import { testId } from '../../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../../support/docker/use-scenes.ts';
import { deployVolume, type StoredVolume, type TestVolume } from '../../../../support/docker/use-volume.ts';
import { everything } from '../../../../support/level.ts';
import { backupBytesMax, listVolume } from '../../../../support/real-world/volume-files.ts';
import { testContext } from '../../../../support/runner/job-context.ts';

if (everything) vi.setConfig({ testTimeout: 900_000 });
const fixture = useDeployFixture();
let service: TestVolume;
let filled: string;

beforeAll(async () => {
  service = await deployVolume(fixture);
  await service.fill();
  filled = await service.listing();
});

test('a restore brings back every kind of file with its owner, mode, time, links and holes', async () => {
  expect(filled).toMatch(/sparse.* holes /);
  const backup = await service.backUp();
  expect(backup.rows).toBeGreaterThan(15);
  expect(backup.sizeBytes).toBeLessThan(backupBytesMax);
  await service.inside(
    'cd /var/lib/app/data && rm -rf deep sparse && echo other > value && touch added && chmod 777 .',
  );
  const before = await fixture.host.volumes();
  const spec = service.restoreSpec(backup);
  expect(await service.run(spec)).toMatchObject({
    outcome: 'succeeded',
    facts: { archive: { rows: expect.any(Number) } },
  });
  expect(await service.listing()).toBe(filled);
  expect(await fixture.host.volumes()).toEqual(before);
  expect(await service.inside('ls -A /var/lib/app/data | grep longshore; true')).toBe('');
  expect(await fixture.answer(service.live)).toBe('new');
});

test('a file of ten terabytes of holes holds a restore up for seconds, not for hours', async () => {
  const holes = '/var/lib/app/data/holes';
  await service.inside(`truncate -s ${10 * 2 ** 40} ${holes}`);
  const backup = await service.backUp();
  const context = testContext();
  const result = await service.run(service.restoreSpec(backup), context);
  expect(result).toMatchObject({ outcome: 'succeeded' });
  expect(context.text()).toContain('10240 GB of holes, so they are not compared');
  expect(await service.inside(`stat -c %s ${holes}; rm ${holes}`)).toBe(`${10 * 2 ** 40}\n`);
});

test('a drill unpacks a backup beside the service, and leaves the service, its files and the host as they were', async () => {
  const backup = await service.backUp();
  const before = [await service.listing(), await fixture.host.volumes(), await fixture.host.leftovers()];
  const made: string[] = [];
  const context = testContext();
  context.enter = (phase) => void made.push(phase);
  expect(await service.run(service.drillSpec(backup), context)).toMatchObject({ outcome: 'succeeded' });
  expect([...new Set(made)]).toEqual(['fetch', 'load', 'prove']);
  expect([await service.listing(), await fixture.host.volumes(), await fixture.host.leftovers()]).toEqual(
    before,
  );
});

test.each<[string, (backup: StoredVolume) => Promise<StoredVolume>, string, number?]>([
  ['with fewer entries than counted', async (one) => ({ ...one, rows: one.rows + 1 }), 'drill_failed'],
  ['whose file is damaged', damaged, 'backup_damaged'],
  ['that the disk has no room for', async (one) => one, 'disk_full', 1_000_000],
])(
  'a drill of a backup %s has failed as it should, and leaves nothing',
  async (_, change, code, freeBytes) => {
    const backup = await change(await service.backUp());
    const volumes = await fixture.host.volumes();
    const readDiskSpace = async () => ({ freeBytes: freeBytes ?? 1e12, totalBytes: 1e12 });
    const job = createVolumeDrillJob({ ...fixture.parts, readDiskSpace });
    const ended = job.run(service.drillSpec(backup), { env: {}, gitToken: null }, testContext());
    await expect(ended).rejects.toMatchObject({ code });
    expect(await fixture.host.volumes()).toEqual(volumes);
  },
);

/** Of a service that is not here yet, as on the host that a move goes to. */
const arriving = (backup: StoredVolume) =>
  service.fillSpec(backup, {
    serviceId: testId('service'),
    volume: { id: testId('volume'), name: 'data', sizeMb: null },
  });

test('a move fills the volume on its new host with exactly the files of the old one, also over those of an earlier stay', async () => {
  const { docker } = fixture.host;
  const spec = arriving(await service.backUp());
  const name = serviceVolumeName(spec.serviceId, spec.volume.id);
  const before = await service.listing();
  expect(await service.run(spec)).toMatchObject({ outcome: 'succeeded' });
  expect(await listVolume(docker, name)).toBe(before);
  await service.inside('touch /var/lib/app/data/later');
  const again = { ...spec, backup: await service.backUp() };
  expect(await service.run(again)).toMatchObject({ outcome: 'succeeded' });
  expect(await listVolume(docker, name)).toBe(await service.listing());
  await removeVolume(docker, name);
});

test('a move never replaces a volume that a container uses, and leaves none behind when it fails', async () => {
  const backup = await service.backUp();
  const before = await service.listing();
  expect(await service.run(service.fillSpec(backup))).toMatchObject({ outcome: 'threw' });
  expect(await service.listing()).toBe(before);
  const volumes = await fixture.host.volumes();
  const wrong = arriving({ ...backup, rows: backup.rows + 1 });
  expect(await service.run(wrong)).toMatchObject({ code: 'restore_failed' });
  expect(await fixture.host.volumes()).toEqual(volumes);
});

async function damaged(backup: StoredVolume): Promise<StoredVolume> {
  const path = service.pathOf(backup.id);
  const bytes = await readFile(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(path, bytes);
  return backup;
}
