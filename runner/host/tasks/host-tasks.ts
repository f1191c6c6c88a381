/**
 * Work on the host that the control plane stores in its own rows: removals and names. All tasks are idempotent, and only `remove-volumes`
 * and `remove-volume` touch volumes.
 */
import { rm } from 'node:fs/promises';
import { defaultDrainSeconds } from '../../../protocol/container-settings.ts';
import type { HostTask, HostTaskOf, ProxyResult } from '../../../protocol/host-task.ts';
import { imageTag, labels, serviceVolumeName, stableContainerName } from '../../../protocol/names.ts';
import { releaseDirectory } from '../../builder/release-directory.ts';
import type { DockerHost } from '../../docker/client.ts';
import {
  type ContainerFacts,
  listContainers,
  removeContainer,
  stopContainer,
} from '../../docker/containers.ts';
import { dataVolumeOf } from '../../docker/copy-container.ts';
import { removeImage, serviceImages } from '../../docker/images.ts';
import { removeClosedNetworks } from '../../docker/networks/closed-network.ts';
import { removeProjectNetwork } from '../../docker/networks/networks.ts';
import { removeVolume, serviceVolumes } from '../../docker/volumes.ts';
import type { Retirement } from '../../jobs/parts/retire.ts';
import type { Traffic } from '../../proxy/traffic.ts';
import { backupPath, backupsDirectory, removeBackupFile } from '../../storage/backup-files.ts';
import { forgetLiveVolume, rememberLiveVolume } from '../../storage/live-volume.ts';
import { allOf, type SetHostnamesParts, setHostnames } from './set-hostnames.ts';
import { stopService } from './stop-service.ts';

export interface HostTaskParts extends SetHostnamesParts {
  docker: DockerHost;
  dataDirectory: string;
  /** Removes a container once its connections have ended; journalled. */
  retireLater: (retirement: Retirement) => void;
  removeLogs?: (serviceId: string) => void;
}

/** Shorter than the grace period of a replaced app: a removed app is no longer used, and the task's answer is awaited. */
const removalGraceSeconds = 3;

type TaskOf<Kind extends HostTask['kind']> = Extract<HostTask, { kind: Kind }>;
export type HostTasks = { [Kind in HostTask['kind']]: (task: TaskOf<Kind>) => Promise<ProxyResult> };

/** One function per kind; a missing function does not compile. The functions throw DockerError or ProxyError when the task should be retried. */
export function createHostTasks(parts: HostTaskParts): HostTasks {
  return {
    'remove-service': (task) => removeService(parts, task),
    'remove-project': (task) => removeProject(parts, task),
    'stop-service': (task) => stopService(parts, task),
    'remove-volumes': (task) => removeVolumes(parts, task),
    'remove-volume': (task) => removeOneVolume(parts, task),
    'remove-backup': (task) => removeBackup(parts, task),
    'set-hostnames': (task) => setHostnames(parts, task),
  };
}

/** Calls the function of the task's kind. */
export function runHostTask(tasks: HostTasks, task: HostTask): Promise<ProxyResult> {
  switch (task.kind) {
    case 'remove-service':
      return tasks['remove-service'](task);
    case 'remove-project':
      return tasks['remove-project'](task);
    case 'stop-service':
      return tasks['stop-service'](task);
    case 'remove-volumes':
      return tasks['remove-volumes'](task);
    case 'remove-volume':
      return tasks['remove-volume'](task);
    case 'remove-backup':
      return tasks['remove-backup'](task);
    case 'set-hostnames':
      return tasks['set-hostnames'](task);
  }
}

async function removeBackup(
  { dataDirectory }: HostTaskParts,
  { serviceId, backupId }: TaskOf<'remove-backup'>,
): Promise<ProxyResult> {
  await removeBackupFile(backupPath(dataDirectory, serviceId, backupId));
  return { ok: true, detail: 'The backup was removed from the host.' };
}

/**
 * Removes the names first, so that no request reaches a container that is about to be removed. The images and the log of a service that may
 * be restored stay, and the log of one that has moved; a static site is unpacked from its image again.
 */
async function removeService(parts: HostTaskParts, task: TaskOf<'remove-service'>): Promise<ProxyResult> {
  const routed = parts.traffic.current(task.serviceId)?.deploymentId;
  await parts.traffic.forget(task.serviceId);
  const containers = await listContainers(parts.docker, { [labels.service]: task.serviceId });
  const live = containers.find(({ name }) => name === stableContainerName(task.serviceId));
  const volume = live?.labels[labels.port] && (await dataVolumeOf(parts.docker, live.id));
  if (volume) rememberLiveVolume(parts.dataDirectory, task.serviceId, volume);
  const images = task.keepsImages ? [] : await serviceImages(parts.docker, task.serviceId);
  // The service has moved: visitors' open connections continue, and new ones use the other host.
  const drains = task.keepsLogs ? containers.filter(isServing) : [];
  for (const one of drains) parts.retireLater(retirementOf(one, task.serviceId, images));
  await removeAll(
    parts,
    containers.filter((one) => !drains.includes(one)),
  );
  await removeClosedNetworks(parts.docker, task.serviceId);
  for (const tag of images) await removeImage(parts.docker, tag);
  const deployments = new Set([
    ...(routed ? [routed] : []),
    ...containers.flatMap((container) => container.labels[labels.deployment] ?? []),
    ...images.map((tag) => tag.slice(`longshore-${task.serviceId}-`.length)),
  ]);
  for (const deploymentId of deployments) {
    await rm(releaseDirectory(parts.dataDirectory, deploymentId), { recursive: true, force: true });
  }
  if (!task.keepsImages && !task.keepsLogs) parts.removeLogs?.(task.serviceId);
  if (drains.length > 0)
    return {
      ok: true,
      detail: 'The service has no names on this host any more, and ends with its last connection.',
    };
  return await probeNames(parts.traffic, task.hostnames);
}

/**
 * The project's services are removed by their own tasks; leftovers of them would keep the network alive. If a service that was
 * transferred to another project has not been deployed since, it still runs on this network. Then both stay, until a later start of the
 * runner finds the network empty.
 */
async function removeProject(parts: HostTaskParts, task: TaskOf<'remove-project'>): Promise<ProxyResult> {
  const containers = await listContainers(parts.docker, { [labels.project]: task.projectId });
  const isOfOther = ({ labels: of }: ContainerFacts) =>
    task.serviceIds?.includes(of[labels.service] ?? '') === false;
  await removeAll(
    parts,
    containers.filter((container) => !isOfOther(container)),
  );
  if (containers.some(isOfOther)) {
    return {
      ok: true,
      detail: 'Services that were transferred still use its network until they are deployed.',
    };
  }
  await removeProjectNetwork(parts.docker, task.projectId);
  return { ok: true, detail: 'The project has no network and no containers on this host any more.' };
}

/** Excludes databases, whose connections would continue to write to data that has moved. */
const isServing = ({ running, hasDataVolume, labels: of }: ContainerFacts) =>
  running && !hasDataVolume && of[labels.role] === 'app';

const retirementOf = (
  { id, address, labels: of }: ContainerFacts,
  serviceId: string,
  images: string[],
): Retirement => {
  const image = images.find((tag) => tag === imageTag(serviceId, of[labels.deployment] ?? ''));
  return {
    ...{ kind: 'container', containerId: id, address, serviceId, since: Date.now() },
    drainMs: Number(of[labels.drainSeconds] || defaultDrainSeconds) * 1_000,
    ...(image === undefined ? {} : { image }),
  };
};

async function removeAll(parts: HostTaskParts, containers: ContainerFacts[]): Promise<void> {
  await Promise.all(
    containers.map(async ({ id }) => {
      await stopContainer(parts.docker, id, removalGraceSeconds);
      await removeContainer(parts.docker, id);
    }),
  );
}

/** The proxy's current answer to a request for each name. */
async function probeNames(traffic: Traffic, hostnames: string[]): Promise<ProxyResult> {
  if (hostnames.length === 0)
    return { ok: true, detail: 'The service has no container on this host any more.' };
  return allOf(await Promise.all(hostnames.map((hostname) => traffic.probe(hostname))));
}

/**
 * Removes the data of a deleted service that can't be restored any more, and its backups on this host; its containers are gone.
 * @throws DockerError while a container uses a volume (someone may be looking at the data); the task is retried
 */
export async function removeVolumes(
  { docker, dataDirectory }: { docker: DockerHost; dataDirectory: string },
  { serviceId }: HostTaskOf<'remove-volumes'>,
): Promise<ProxyResult> {
  const names = await serviceVolumes(docker, serviceId);
  for (const name of names) await removeVolume(docker, name);
  docker.volumes?.removeOf(serviceId);
  await forgetLiveVolume(dataDirectory, serviceId);
  await rm(backupsDirectory(dataDirectory, serviceId), { recursive: true, force: true });
  return {
    ok: true,
    detail: `The ${names.length} data volumes and all backups of the service were removed from this host.`,
  };
}

/**
 * Removes one volume of a service, if it is the service's own.
 * @throws DockerError while a container uses it, because a version from before its deletion still runs; the task is retried
 */
async function removeOneVolume(
  { docker }: { docker: DockerHost },
  { serviceId, volumeId }: HostTaskOf<'remove-volume'>,
): Promise<ProxyResult> {
  const name = serviceVolumeName(serviceId, volumeId);
  if ((await serviceVolumes(docker, serviceId)).includes(name)) await removeVolume(docker, name);
  else docker.volumes?.remove(name);
  return { ok: true, detail: 'The volume was removed from this host.' };
}
