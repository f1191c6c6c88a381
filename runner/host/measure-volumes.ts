/** Measures volumes on request. The disk watch measures all of them, but only every few minutes. */
import type { HostRequestOf, VolumeSizes } from '../../protocol/host-request.ts';
import { serviceVolumeName } from '../../protocol/names.ts';
import type { Clock } from '../base/clock.ts';
import type { DockerHost } from '../docker/client.ts';
import { measureBytes, megabytes } from '../docker/disk-use.ts';
import { serviceVolumeDirectories } from '../docker/volumes.ts';

/** The time limit of all volumes together: a person waits. */
const measureMs = 10_000;

interface MeasureParts {
  docker: DockerHost;
  clock: Clock;
  measure?: typeof measureBytes;
}

/**
 * A volume that is not on this host yet has size 0.
 * @throws DockerError
 */
export async function measureVolumes(
  { docker, clock, measure = measureBytes }: MeasureParts,
  { serviceId, volumeIds }: HostRequestOf<'measure-volumes'>,
): Promise<VolumeSizes> {
  const until = clock.now() + measureMs;
  const directories = await serviceVolumeDirectories(docker, serviceId);
  const volumes: VolumeSizes['volumes'] = [];
  for (const id of volumeIds) {
    const directory = directories.get(serviceVolumeName(serviceId, id));
    const left = until - clock.now();
    const held = directory === undefined ? 0 : left > 0 ? await measure([directory], left) : 'too long';
    volumes.push({ id, usedMb: held === 'too long' ? null : megabytes(held) });
  }
  return { volumes };
}
