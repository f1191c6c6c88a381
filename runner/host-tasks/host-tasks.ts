/** Removals that outlive the rows they came from. All are idempotent, and none touches a volume. */
import { rm } from 'node:fs/promises';
import type { HostTask, ProxyResult } from '../../protocol/host-task.ts';
import { labels } from '../../protocol/names.ts';
import { releaseDirectory } from '../build/static-image.ts';
import type { DockerHost } from '../docker/client.ts';
import { type ContainerFacts, listContainers, removeContainer, stopContainer } from '../docker/containers.ts';
import { removeImage, serviceImages } from '../docker/images.ts';
import { removeProjectNetwork } from '../docker/networks.ts';
import type { Traffic } from '../proxy/traffic.ts';

export interface HostTaskParts {
  docker: DockerHost;
  traffic: Traffic;
  dataDirectory: string;
}

/** Nobody will use what is removed, and somebody waits for the answer: less than an app gets when it is replaced. */
const removalGraceSeconds = 3;

type TaskOf<Kind extends HostTask['kind']> = Extract<HostTask, { kind: Kind }>;
export type HostTasks = { [Kind in HostTask['kind']]: (task: TaskOf<Kind>) => Promise<ProxyResult> };

/** One function per kind; a forgotten kind does not compile. They throw DockerError when the task should be tried again. */
export function createHostTasks(parts: HostTaskParts): HostTasks {
  return {
    'remove-service': (task) => removeService(parts, task),
    'remove-project': (task) => removeProject(parts, task),
  };
}

/** Runs the task by its kind. */
export function runHostTask(tasks: HostTasks, task: HostTask): Promise<ProxyResult> {
  switch (task.kind) {
    case 'remove-service':
      return tasks['remove-service'](task);
    case 'remove-project':
      return tasks['remove-project'](task);
  }
}

/** Names first, so that nobody is led to what is about to go. */
async function removeService(parts: HostTaskParts, task: TaskOf<'remove-service'>): Promise<ProxyResult> {
  const routed = parts.traffic.current(task.serviceId)?.deploymentId;
  await parts.traffic.remove(task.serviceId);
  const containers = await listContainers(parts.docker, { [labels.service]: task.serviceId });
  await removeAll(parts, containers);
  const images = await serviceImages(parts.docker, task.serviceId);
  for (const { tag } of images) await removeImage(parts.docker, tag);
  const deployments = new Set([
    ...(routed ? [routed] : []),
    ...containers.flatMap((container) => container.labels[labels.deployment] ?? []),
    ...images.map(({ tag }) => tag.slice(`longshore-${task.serviceId}-`.length)),
  ]);
  for (const deploymentId of deployments) {
    await rm(releaseDirectory(parts.dataDirectory, deploymentId), { recursive: true, force: true });
  }
  return await probeNames(parts.traffic, task.hostnames);
}

/** Its services have been removed by tasks of their own; what is left of them would keep the network alive. */
async function removeProject(parts: HostTaskParts, task: TaskOf<'remove-project'>): Promise<ProxyResult> {
  await removeAll(parts, await listContainers(parts.docker, { [labels.project]: task.projectId }));
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
  const probes = await Promise.all(hostnames.map((hostname) => traffic.probe(hostname)));
  return { ok: probes.every((probe) => probe.ok), detail: probes.map((probe) => probe.detail).join('; ') };
}
