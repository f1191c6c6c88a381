/**
 * Brings the host in line with routes, jobs and chores at the start of the runner. Only changes containers with its own instance's label
 * and its own data directory, and never a volume.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { labels, restoreContainerName, stableContainerName } from '../../protocol/names.ts';
import type { DockerHost } from '../docker/client.ts';
import {
  type ContainerFacts,
  hasLiveName,
  inspectContainer,
  listContainers,
  liveNameOf,
  removeContainer,
  renameContainer,
  replicaOf,
  startContainer,
  stopContainer,
} from '../docker/containers.ts';
import { networkedProjects, removeProjectNetwork } from '../docker/networks/networks.ts';
import { addressesOf, type Route, type Traffic } from '../proxy/traffic.ts';
import { removeLeftNames } from '../registry/left-names.ts';

export interface ReconcileParts {
  docker: DockerHost;
  traffic: Traffic;
  dataDirectory: string;
  /** Writes one line to the runner's log. */
  say: (line: string) => void;
}

/** Objects of a job or chore, which must not be changed. */
export interface Claims {
  /** Deployments of unfinished jobs: their recovery decides about them. */
  deployments: ReadonlySet<string>;
  /** Ids of containers that a chore will remove. */
  containers: ReadonlySet<string>;
  /** Services of unfinished restores, imports and upgrades, whose containers may be half exchanged: none of them is removed. */
  restored?: ReadonlySet<string>;
}

/**
 * @param claimsNow called after the host was listed, so that every object with an owner by then is kept: jobs may run in the meantime
 * @throws DockerError when the daemon does not answer; the caller retries
 */
export async function reconcile(parts: ReconcileParts, claimsNow: () => Claims): Promise<void> {
  const containers = await listContainers(parts.docker);
  const claims = claimsNow();
  const unclaimed = containers.filter(
    (container) =>
      container.labels[labels.role] !== 'kept' &&
      !claims.containers.has(container.id) &&
      !claims.deployments.has(deploymentOf(container)),
  );
  const setAside = onlyVersions(unclaimed, containers);
  const orphans = unclaimed.filter(
    (container) =>
      !isLive(parts.traffic, container) &&
      !setAside.includes(container) &&
      !claims.restored?.has(serviceOf(container)),
  );
  await Promise.all(orphans.map((orphan) => removeOrphan(parts, orphan)));
  // An old container must not run next to the one that a job has created for the same volumes.
  const atWork = new Set(
    containers.filter((one) => one.hasDataVolume && claims.deployments.has(deploymentOf(one))).map(serviceOf),
  );
  const live = unclaimed.filter((one) => isLive(parts.traffic, one) && !atWork.has(serviceOf(one)));
  live.push(...setAside.filter((one) => !claims.restored?.has(serviceOf(one))));
  for (const container of live) await revive(parts, container);
  for (const route of parts.traffic.all()) logMissing(parts, route, containers);
  await removeDirectories(parts, claimsNow);
  const remaining = containers.filter((container) => !orphans.includes(container));
  if (claimsNow().deployments.size === 0) await removeIdleNetworks(parts, remaining);
  await removeLeftNames(parts.docker);
}

async function removeOrphan({ docker, say }: ReconcileParts, orphan: ContainerFacts): Promise<void> {
  say(`removing ${orphan.name}: no route, job or chore refers to it`);
  await stopContainer(docker, orphan.id);
  await removeContainer(docker, orphan.id);
}

/**
 * Containers that a job has set aside to exchange a database's data, and whose database has no other container: the job was interrupted, for example
 * by a missing Docker, and this is the database. One for each service: the newest, because an older container is left over from a finished exchange.
 */
function onlyVersions(unclaimed: ContainerFacts[], all: ContainerFacts[]): ContainerFacts[] {
  const found = new Map<string, ContainerFacts>();
  for (const one of unclaimed) {
    const service = serviceOf(one);
    const isBefore =
      one.labels[labels.port] && one.name.startsWith(restoreContainerName(service, 'before', ''));
    const hasOther = all.some(({ name }) => name === stableContainerName(service));
    const known = found.get(service);
    if (isBefore && !hasOther && !(known && known.createdAt > one.createdAt)) found.set(service, one);
  }
  return [...found.values()];
}

/** The target of a route, or the stable container of a service that is stopped or has no route (a worker). */
function isLive(traffic: Traffic, container: ContainerFacts): boolean {
  if (container.labels[labels.role] !== 'app') return false;
  const route = traffic.current(serviceOf(container));
  if (route && route.target.type !== 'stopped')
    return route.target.type === 'container' && route.deploymentId === deploymentOf(container);
  return hasLiveName(container);
}

/** Makes sure that the container runs and has its stable name, and that its route has its address. */
async function revive(parts: ReconcileParts, container: ContainerFacts): Promise<void> {
  await renameContainer(parts.docker, container, liveNameOf(container.labels));
  if (isStopped(parts.traffic, container) || sleeps(parts.traffic, container)) return;
  if (!container.running && !container.restarting) {
    parts.say(`starting ${container.name} again`);
    await startContainer(parts.docker, container.id).catch((error: unknown) =>
      parts.say(`${container.name} does not start: ${String(error)}`),
    );
  }
  const { address } = await inspectContainer(parts.docker, container.id);
  const route = parts.traffic.current(serviceOf(container));
  if (route?.target.type !== 'container' || !address) return;
  const known = addressesOf(route.target);
  const index = replicaOf(container.labels);
  if (index >= known.length || known[index] === address) return;
  const [first = '', ...others] = known.with(index, address);
  parts.say(`${container.name} has a new address, ${address}`);
  const target = { ...route.target, address: first, ...(others.length > 0 ? { others } : {}) };
  await parts.traffic.switchTo({ ...route, target });
}

function logMissing({ say }: ReconcileParts, route: Route, containers: ContainerFacts[]): void {
  if (route.target.type !== 'container') return;
  if (containers.some((container) => deploymentOf(container) === route.deploymentId)) return;
  say(`the container of ${route.serviceId} is gone; deploy the service again`);
}

/**
 * Removes networks without containers: a deleted project's network stays while a transferred service still uses it. Networks are recreated
 * when needed.
 */
async function removeIdleNetworks(
  { docker, say }: ReconcileParts,
  containers: ContainerFacts[],
): Promise<void> {
  const used = new Set(containers.map((container) => container.labels[labels.project]));
  const idle = new Set((await networkedProjects(docker)).filter((projectId) => !used.has(projectId)));
  for (const projectId of idle) {
    await removeProjectNetwork(docker, projectId).catch((error: unknown) =>
      say(`the network of ${projectId} could not be removed: ${String(error)}`),
    );
  }
}

/** Removes work directories and releases without an owner. */
async function removeDirectories(parts: ReconcileParts, claimsNow: () => Claims): Promise<void> {
  for (const parent of [join(parts.dataDirectory, 'work'), join(parts.dataDirectory, 'sites', 'releases')]) {
    const names = await readdir(parent).catch(() => []);
    const { deployments } = claimsNow();
    const served = new Set(parts.traffic.all().map((route) => route.deploymentId));
    for (const name of names) {
      const owned = deployments.has(name) || (served.has(name) && parent.endsWith('releases'));
      if (!owned) await rm(join(parent, name), { recursive: true, force: true });
    }
  }
}

/** True if the owner stopped this version. */
const isStopped = (traffic: Traffic, container: ContainerFacts) => {
  const route = traffic.current(serviceOf(container));
  return route?.target.type === 'stopped' && route.deploymentId === deploymentOf(container);
};

/** True if the version is not in use: its container is stopped until the next request. A running version is awake. */
const sleeps = (traffic: Traffic, container: ContainerFacts) => {
  const target = traffic.current(serviceOf(container))?.target;
  return target?.type === 'container' && target.asleep === true && !container.running;
};

const serviceOf = (container: ContainerFacts) => container.labels[labels.service] ?? '';
const deploymentOf = (container: ContainerFacts) => container.labels[labels.deployment] ?? '';
