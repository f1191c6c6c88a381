/** Volumes are measured when somebody asks, and the answer comes in time. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serviceVolumeName } from '../../../protocol/names.ts';
import type { DockerHost } from '../../../runner/docker/client.ts';
import { measureVolumes } from '../../../runner/host/measure-volumes.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';

const serviceId = 'svc_1';

function hostWith(directories: Record<string, string>): DockerHost {
  const Volumes = Object.entries(directories).map(([id, Mountpoint]) => ({
    ...{ Name: serviceVolumeName(serviceId, id), Mountpoint },
  }));
  return { instance: 'run_x', engine: { listVolumes: async () => ({ Volumes }) } } as unknown as DockerHost;
}

test('what was written a moment ago counts, and a volume that is not there yet holds nothing', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-volume-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const docker = hostWith({ vol_1: directory });
  const ask = { op: 'measure-volumes' as const, serviceId, volumeIds: ['vol_1', 'vol_2'] };
  const before = await measureVolumes({ docker, clock: manualClock() }, ask);
  expect(before.volumes).toEqual([
    { id: 'vol_1', usedMb: 1 },
    { id: 'vol_2', usedMb: 0 },
  ]);
  await writeFile(join(directory, 'app.db'), Buffer.alloc(3 * 2 ** 20, 1));
  const after = await measureVolumes({ docker, clock: manualClock() }, ask);
  expect(after.volumes[0]).toEqual({ id: 'vol_1', usedMb: 4 });
});

test('all volumes of a question together are measured for ten seconds at most', async () => {
  const clock = manualClock();
  const limits: number[] = [];
  const measure = async (_: readonly string[], timeoutMs: number) => {
    limits.push(timeoutMs);
    await clock.advance(6_000);
    return timeoutMs < 6_000 ? ('too long' as const) : 5 * 2 ** 20;
  };
  const volumeIds = ['vol_1', 'vol_2', 'vol_3'];
  const docker = hostWith(Object.fromEntries(volumeIds.map((id) => [id, `/${id}`])));
  const ask = { op: 'measure-volumes' as const, serviceId, volumeIds };
  const { volumes } = await measureVolumes({ docker, clock, measure }, ask);
  expect(limits).toEqual([10_000, 4_000]);
  expect(volumes.map(({ usedMb }) => usedMb)).toEqual([5, null, null]);
});
