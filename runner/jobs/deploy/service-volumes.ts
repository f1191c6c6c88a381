/** Volumes of a service that is no database: created once, then mounted by each of its versions. */

import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { isInside, isKernelPath } from '../../../protocol/mounts.ts';
import { labels, serviceVolumeName } from '../../../protocol/names.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { type DockerHost, deploymentLabels } from '../../docker/client.ts';
import { resolveInImage } from '../../docker/image-files.ts';
import { createVolume, giveToUser, volumeLabels } from '../../docker/volumes.ts';
import type { Attempt } from '../parts/attempt.ts';

/** A volume by its name in Docker, and its path in the container. */
interface Mount {
  name: string;
  path: string;
}

/**
 * Creates the volumes that are missing. They stay if the attempt fails: the new version may have written to them.
 * @returns the mount point of each: its path without the image's links, which some versions of runc refuse
 * @throws JobFailure `start_failed` for a path that resolves to a forbidden mount point, and if a volume with such a name belongs to
 *   another service or instance; DockerError
 */
export async function ensureVolumes(attempt: Attempt, image: string): Promise<Mount[]> {
  const { parts, spec, context } = attempt;
  if (!spec.volumes?.length) return [];
  const { docker } = parts;
  const { [labels.role]: _, ...owner } = deploymentLabels(docker, { ...spec, epoch: context.epoch }, 'app');
  const paths = await resolvePaths(attempt, spec.volumes, image);
  const mounts = spec.volumes.map(({ id }, at) => ({
    name: serviceVolumeName(spec.serviceId, id),
    path: paths[at] ?? '',
  }));
  for (const { name } of mounts) {
    await createVolume(docker, name, owner);
    await refuseForeign(docker, spec.serviceId, name);
  }
  return mounts;
}

/**
 * Docker follows the links of an image. The rules of mount paths also apply to their targets: a volume must not cover the root directory,
 * directories of the kernel or another volume.
 */
async function resolvePaths(
  { parts: { docker }, spec, context }: Attempt,
  volumes: NonNullable<DeploySpec['volumes']>,
  image: string,
): Promise<string[]> {
  const temporary = deploymentLabels(docker, { ...spec, epoch: context.epoch }, 'build');
  const written = volumes.map(({ mountPath }) => mountPath);
  const paths = await resolveInImage(docker, { image, labels: temporary }, written, context.signal);
  for (const [index, { name, mountPath }] of volumes.entries()) {
    const path = paths[index] ?? mountPath;
    if (path === mountPath) continue;
    const others = paths.filter((_, at) => at !== index);
    const wrong =
      (path === '/' && 'the root directory') ||
      (isKernelPath(path) && 'a directory of the kernel') ||
      (others.some((other) => isInside(path, other) || isInside(other, path)) &&
        'inside the path of another volume, or around it');
    if (!wrong) continue;
    throw new JobFailure(
      'start_failed',
      `The volume "${name}" can't be mounted at ${mountPath}: in the image, links lead from there to ${path}, which is ${wrong}. Give the volume another mountPath, or make ${mountPath} a directory in the image.`,
    );
  }
  return paths;
}

/**
 * Gives empty volumes to the user of the new container, which could not write to them otherwise. Checks the volumes' owners again: Docker
 * creates an empty volume without labels for a container with a missing one.
 * @throws the errors of `ensureVolumes`
 */
export async function adoptVolumes(
  { parts: { docker }, spec }: Attempt,
  id: string,
  mounts: readonly Mount[],
): Promise<void> {
  for (const { name, path } of mounts) {
    await refuseForeign(docker, spec.serviceId, name);
    await giveToUser(docker, id, path);
  }
}

async function refuseForeign(docker: DockerHost, serviceId: string, name: string): Promise<void> {
  const found = await volumeLabels(docker, name);
  if (found?.[labels.instance] === docker.instance && found[labels.service] === serviceId) return;
  throw new JobFailure(
    'start_failed',
    `The volume ${name} on this host does not belong to this service, so it was not mounted. Remove it from the host, then deploy again.`,
  );
}

/** The label by which the disk watch finds a container's volumes. */
export const volumesLabel = (spec: Pick<DeploySpec, 'serviceId' | 'volumes'>): Record<string, string> => {
  if (!spec.volumes?.length) return {};
  const watched = spec.volumes.map(({ id, name, sizeMb }) => ({
    id,
    name,
    sizeMb,
    source: serviceVolumeName(spec.serviceId, id),
  }));
  return { [labels.volumes]: JSON.stringify(watched) };
};
