/** Volumes of a service that is no database: created once, then mounted by each of its versions. */
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { labels, serviceVolumeName } from '../../../protocol/names.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { type DockerHost, deploymentLabels } from '../../docker/client.ts';
import { createVolume, giveToUser, volumeLabels } from '../../docker/volumes.ts';
import type { Attempt } from '../parts/attempt.ts';

/** A volume by its name in Docker, and its path in the container. */
interface Mount {
  name: string;
  path: string;
}

/**
 * Creates the volumes that are missing. They stay if the attempt fails: the new version may have written to them.
 * @throws JobFailure `start_failed` when a volume with such a name belongs to another service or instance; DockerError
 */
export async function ensureVolumes({ parts: { docker }, spec, context }: Attempt): Promise<Mount[]> {
  const { [labels.role]: _, ...owner } = deploymentLabels(docker, { ...spec, epoch: context.epoch }, 'app');
  const mounts = mountsOf(spec);
  for (const { name } of mounts) {
    await createVolume(docker, name, owner);
    await refuseForeign(docker, spec.serviceId, name);
  }
  return mounts;
}

/**
 * Gives empty volumes to the user of the new container, which could not write to them otherwise. Checks again whose they are: Docker makes
 * an empty volume without labels for a container that names a missing one.
 * @throws as `ensureVolumes`
 */
export async function adoptVolumes({ parts: { docker }, spec }: Attempt, id: string): Promise<void> {
  for (const { name, path } of mountsOf(spec)) {
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

/** The label that lets the disk watch find what a container writes to its volumes. */
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

const mountsOf = ({ serviceId, volumes }: Pick<DeploySpec, 'serviceId' | 'volumes'>): Mount[] =>
  (volumes ?? []).map(({ id, mountPath }) => ({ name: serviceVolumeName(serviceId, id), path: mountPath }));
