/** Finds the services that currently run on the host, for `observed` frames. */
import { existsSync } from 'node:fs';
import type { RunnerFrameOf } from '../../protocol/frames.ts';
import { labels } from '../../protocol/names.ts';
import { portAnswers } from '../base/port-answers.ts';
import type { FullWatch } from '../databases/full-watch.ts';
import type { DockerHost } from '../docker/client.ts';
import { type ContainerFacts, hasLiveName, listContainers, replicaOf } from '../docker/containers.ts';
import type { Troubles } from '../docker/troubles.ts';
import { addressesOf, type Route, type Traffic } from '../proxy/traffic.ts';
import type { DiskWatch } from './disk-watch.ts';
import type { VolumeWatch } from './volume-watch.ts';

export type ObservedService = RunnerFrameOf<'observed'>['services'][number];

/** A container on the same host that does not accept a connection within this time counts as unreachable. */
const probeTimeoutMs = 1_000;
/** The number of restarts that counts as a crash loop. */
const loopRestarts = 3;
/** A container that has been up for this long is no longer in a crash loop. */
const stableMs = 30_000;

/**
 * The live version of every service: containers with the stable name, and static sites by their route. `reachable`: its port accepted a
 * connection just now, and the image's HEALTHCHECK does not fail; a worker has no port and is reachable while it runs.
 * @param parts.troubles finds the reason why a service does not work as it should
 * @param parts.disk knows the stopped containers, and the disk use of all
 * @throws DockerError
 */
export async function observe(parts: {
  docker: DockerHost;
  traffic: Traffic;
  troubles?: Troubles;
  disk?: Pick<DiskWatch, 'stopReason' | 'usedMb' | 'volumesOf'>;
  /** Databases whose connections are all in use. */
  full?: Pick<FullWatch, 'sentenceOf'>;
  /** Services whose volumes are missing. */
  lost?: Pick<VolumeWatch, 'lossOf'>;
  /** Host ports that another program uses. */
  foreignPorts?: () => readonly number[];
}): Promise<ObservedService[]> {
  const containers = await listContainers(parts.docker, { [labels.role]: 'app' });
  const live = Map.groupBy(
    containers.filter((one) => hasLiveName(one) && !isCutOff(one)),
    serviceOf,
  );
  const running = await Promise.all(
    [...live.values()].map(async (replicas) => {
      const ordered = replicas.toSorted((one, other) => replicaOf(one.labels) - replicaOf(other.labels));
      return together(await Promise.all(ordered.map((container) => observeLive(parts, container))));
    }),
  );
  const sites = parts.traffic.all().flatMap((route): ObservedService[] => {
    // A site without its files is missing, like a container: it is unpacked from its image again.
    if (route.target.type !== 'site' || !existsSync(route.target.directory)) return [];
    return [
      { serviceId: route.serviceId, deploymentId: route.deploymentId, state: 'running', reachable: true },
    ];
  });
  return [
    ...running.filter((one) => one !== undefined).map((one) => withSleep(one, parts.traffic)),
    ...sites,
  ].map((one) => withFull(withPort(withLost(one, parts), parts), parts));
}

/** A container that was removed from its project's network runs, but is unreachable. It is not reported, like a missing container. */
const isCutOff = ({ running, address }: ContainerFacts) => running && address === null;

/** A missing volume is reported first: the running version writes to files that are already removed, and no other version starts. */
function withLost(observed: ObservedService, { lost }: ObserveParts): ObservedService {
  const loss = lost?.lossOf(observed.serviceId);
  if (!loss) return observed;
  const crash = { at: loss.at, exitCode: null, outOfMemory: false };
  return { ...observed, trouble: { sentence: loss.sentence, crash, lastLines: [] } };
}

/** The service's names work, but clients of its host port reach another program. */
function withPort(observed: ObservedService, { traffic, foreignPorts }: ObserveParts): ObservedService {
  const port = traffic.current(observed.serviceId)?.hostPort ?? 0;
  if (observed.trouble || !foreignPorts?.().includes(port)) return observed;
  const sentence = `Another program on the host has port ${port}, which belongs to this service. Its names work. Stop that program, or give the service another port: PATCH /api/services/${observed.serviceId} with hostPort.`;
  return { ...observed, trouble: { sentence, lastLines: [] } };
}

/** A full database serves its current clients, and refuses all others. */
function withFull(observed: ObservedService, { full }: ObserveParts): ObservedService {
  const sentence = observed.state === 'running' ? full?.sentenceOf(observed.serviceId) : undefined;
  if (observed.trouble || sentence === undefined) return observed;
  return { ...observed, trouble: { sentence, lastLines: [] } };
}

function withSleep(observed: ObservedService, traffic: Traffic): ObservedService {
  const route = traffic.current(observed.serviceId);
  const isLive = route?.target.type === 'container' && route.deploymentId === observed.deploymentId;
  return isLive && route.sleep ? { ...observed, sleep: route.sleep } : observed;
}

type ObserveParts = Parameters<typeof observe>[0];

async function observeLive(parts: ObserveParts, container: ContainerFacts): Promise<ObservedService> {
  if (isStopped(parts.traffic, container)) return stoppedService(container);
  if (isAsleep(parts.traffic, container)) return sleepingService(container);
  const stopReason = container.running ? undefined : parts.disk?.stopReason(container.id);
  const observed = await observeContainer(container, parts.traffic.current(serviceOf(container)));
  // A process that exits with 0 on a stop would look like a stop by its owner.
  const isEnded = stopReason !== undefined || (!container.running && couldNotWake(parts.traffic, container));
  const seen = isEnded ? { ...observed, state: 'crashed' as const } : observed;
  const trouble = await parts.troubles?.of(container, seen.state, stopReason);
  const diskMb = parts.disk?.usedMb(container.id);
  const volumes = parts.disk?.volumesOf(container.id) ?? [];
  return {
    ...seen,
    ...(trouble ? { trouble } : {}),
    ...(diskMb === undefined ? {} : { diskMb }),
    ...(volumes.length > 0 ? { volumes } : {}),
  };
}

/** A service runs while one of its replicas does. The first trouble of any replica is reported, with its number. */
function together(replicas: ObservedService[]): ObservedService | undefined {
  const [first, ...others] = replicas;
  if (!first || others.length === 0) return first;
  const best = replicas.find(({ reachable }) => reachable) ?? replicas.find(isRunning) ?? first;
  const troubled = replicas.findIndex(({ trouble }) => trouble !== undefined);
  const trouble = replicas[troubled]?.trouble;
  const disks = replicas.map(({ diskMb }) => diskMb).filter((one) => one !== undefined);
  const { serviceId, deploymentId, state, reachable } = best;
  return {
    ...{ serviceId, deploymentId, state, reachable },
    ...(trouble && {
      trouble: {
        ...trouble,
        sentence: `Replica ${troubled + 1} of ${replicas.length}: ${trouble.sentence}`,
      },
    }),
    ...(disks.length > 0 ? { diskMb: disks.reduce((sum, one) => sum + one, 0) } : {}),
  };
}

const isRunning = ({ state }: ObservedService) => state === 'running';

async function observeContainer(
  container: ContainerFacts,
  route: Route | undefined,
): Promise<ObservedService> {
  const state = stateOf(container);
  const asked = askedPort(container, route);
  return {
    serviceId: serviceOf(container),
    deploymentId: container.labels[labels.deployment] ?? '',
    state,
    reachable:
      state === 'running' &&
      container.health !== 'unhealthy' &&
      (asked === null || (await portAnswers(asked.address, asked.port, probeTimeoutMs))),
  };
}

/** True if the owner stopped this version. */
function isStopped(traffic: Traffic, container: ContainerFacts): boolean {
  const route = traffic.current(serviceOf(container));
  return route?.target.type === 'stopped' && route.deploymentId === container.labels[labels.deployment];
}

const liveTarget = (route: Route | undefined, { labels: of }: ContainerFacts) =>
  route?.target.type === 'container' && route.deploymentId === of[labels.deployment]
    ? route.target
    : undefined;

/** True if the version is stopped and its users get the answer that it could not be started. */
const couldNotWake = (traffic: Traffic, container: ContainerFacts) =>
  liveTarget(traffic.current(serviceOf(container)), container)?.retryAt !== undefined;

/** A sleeping version answers the next request, so for its users it runs. */
const sleepingService = (container: ContainerFacts): ObservedService => ({
  serviceId: serviceOf(container),
  deploymentId: container.labels[labels.deployment] ?? '',
  state: 'running',
  reachable: true,
});

function isAsleep(traffic: Traffic, container: ContainerFacts): boolean {
  const target = liveTarget(traffic.current(serviceOf(container)), container);
  return target?.asleep === true && target.retryAt === undefined && !container.running;
}

const stoppedService = (container: ContainerFacts): ObservedService => ({
  serviceId: serviceOf(container),
  deploymentId: container.labels[labels.deployment] ?? '',
  state: 'stopped',
  reachable: false,
});

/** A database is probed at its engine's own port: Docker accepts connections on a published port even when the engine is dead. */
function askedPort(container: ContainerFacts, route: Route | undefined) {
  if (route?.target.type === 'container') {
    const address = addressesOf(route.target)[replicaOf(container.labels)] ?? route.target.address;
    return { address, port: route.target.port };
  }
  if (route) return null;
  const port = Number(container.labels[labels.port] ?? 0);
  return port > 0 && container.address ? { address: container.address, port } : null;
}

/**
 * Docker restarts a container that exits, with growing pauses. A container in a crash loop counts as crashed even while it happens to run.
 * A container that neither runs nor restarts was stopped, or has crashed and will not restart.
 */
function stateOf(
  { running, restarting, restarts, startedAt, exitCode }: ContainerFacts,
  now = Date.now(),
): ObservedService['state'] {
  if (restarting) return 'crashed';
  if (running) return restarts >= loopRestarts && now - startedAt < stableMs ? 'crashed' : 'running';
  return exitCode === 0 ? 'stopped' : 'crashed';
}

const serviceOf = (container: ContainerFacts) => container.labels[labels.service] ?? '';
