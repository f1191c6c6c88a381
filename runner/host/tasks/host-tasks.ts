/** Work on the host that the control plane has in rows of its own: removals and names. All is idempotent, and none but `remove-volumes` touches a volume. */
import { rm } from 'node:fs/promises';
import type { HostTask, ProxyResult } from '../../../protocol/host-task.ts';
import { labels } from '../../../protocol/names.ts';
import { releaseDirectory } from '../../builder/release-directory.ts';
import type { DockerHost } from '../../docker/client.ts';
import {
  type ContainerFacts,
  listContainers,
  removeContainer,
  stopContainer,
} from '../../docker/containers.ts';
import { removeImage, serviceImages } from '../../docker/images.ts';
import { removeClosedNetworks } from '../../docker/networks/closed-network.ts';
import { removeProjectNetwork } from '../../docker/networks/networks.ts';
import type { Traffic } from '../../proxy/traffic.ts';
import { backupPath, removeBackupFile } from '../../storage/backup-files.ts';
import { removeVolumes } from './remove-volumes.ts';
import { allOf, type SetHostnamesParts, setHostnames } from './set-hostnames.ts';

export interface HostTaskParts extends SetHostnamesParts {
  docker: DockerHost;
  dataDirectory: string;
}

/** Nobody will use what is removed, and somebody waits for the answer: less than an app gets when it is replaced. */
const removalGraceSeconds = 3;

type TaskOf<Kind extends HostTask['kind']> = Extract<HostTask, { kind: Kind }>;
export type HostTasks = { [Kind in HostTask['kind']]: (task: TaskOf<Kind>) => Promise<ProxyResult> };

/** One function per kind; a forgotten kind does not compile. They throw DockerError or ProxyError when the task should be tried again. */
export function createHostTasks(parts: HostTaskParts): HostTasks {
  return {
    'remove-service': (task) => removeService(parts, task),
    'remove-project': (task) => removeProject(parts, task),
    'remove-volumes': (task) => removeVolumes(parts, task),
    'remove-backup': (task) => removeBackup(parts, task),
    'set-hostnames': (task) => setHostnames(parts, task),
  };
}

/** Runs the task by its kind. */
export function runHostTask(tasks: HostTasks, task: HostTask): Promise<ProxyResult> {
  switch (task.kind) {
    case 'remove-service':
      return tasks['remove-service'](task);
    case 'remove-project':
      return tasks['remove-project'](task);
    case 'remove-volumes':
      return tasks['remove-volumes'](task);
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

/** Names first, so that nobody is led to what is about to go. */
async function removeService(parts: HostTaskParts, task: TaskOf<'remove-service'>): Promise<ProxyResult> {
  const routed = parts.traffic.current(task.serviceId)?.deploymentId;
  await parts.traffic.forget(task.serviceId);
  const containers = await listContainers(parts.docker, { [labels.service]: task.serviceId });
  await removeAll(parts, containers);
  await removeClosedNetworks(parts.docker, task.serviceId);
  const images = await serviceImages(parts.docker, task.serviceId);
  for (const tag of images) await removeImage(parts.docker, tag);
  const deployments = new Set([
    ...(routed ? [routed] : []),
    ...containers.flatMap((container) => container.labels[labels.deployment] ?? []),
    ...images.map((tag) => tag.slice(`longshore-${task.serviceId}-`.length)),
  ]);
  for (const deploymentId of deployments) {
    await rm(releaseDirectory(parts.dataDirectory, deploymentId), { recursive: true, force: true });
  }
  return await probeNames(parts.traffic, task.hostnames);
}

/**
 * Its services have been removed by tasks of their own; what is left of them would keep the network alive. A service that was
 * transferred away and not deployed since still runs on this network: then both stay, until the runner's next start finds it empty.
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

async function removeAll(parts: HostTaskParts, containers: ContainerFacts[]): Promise<void> {
  await Promise.all(
    containers.map(async ({ id }) => {
      await stopContainer(parts.docker, id, removalGraceSeconds);
      await removeContainer(parts.docker, id);
    }),
  );
}

/** What a request by each name is answered now. */
async function probeNames(traffic: Traffic, hostnames: string[]): Promise<ProxyResult> {
  if (hostnames.length === 0) return { ok: true, detail: 'The service had no host names.' };
  return allOf(await Promise.all(hostnames.map((hostname) => traffic.probe(hostname))));
}
