/** What runs on the host now, for `observed` frames. */
import type { RunnerFrameOf } from '../../protocol/frames.ts';
import { labels, stableContainerName } from '../../protocol/names.ts';
import type { DockerHost } from '../docker/client.ts';
import { type ContainerFacts, listContainers } from '../docker/containers.ts';
import type { Troubles } from '../docker/troubles.ts';
import { portAnswers } from '../proxy/health-check.ts';
import type { Route, Traffic } from '../proxy/traffic.ts';

export type ObservedService = RunnerFrameOf<'observed'>['services'][number];

/** A container on the same host that does not take a connection in this time is not reachable. */
const probeTimeoutMs = 1_000;
/** So many restarts are no accident ... */
const loopRestarts = 3;
/** ... until it has stayed up for so long. */
const stableMs = 30_000;

/**
 * The live version of every service: stable containers by label, static sites by their route.
 * `reachable`: its port took a connection just now, and the image's HEALTHCHECK does not say otherwise; a worker has no port and is
 * reachable while it runs.
 * @param parts.troubles finds out why a service does not serve as it should
 * @throws DockerError
 */
export async function observe(parts: {
  docker: DockerHost;
  traffic: Traffic;
  troubles?: Troubles;
}): Promise<ObservedService[]> {
  const containers = await listContainers(parts.docker, { [labels.role]: 'app' });
  const stable = containers.filter(
    (container) => container.name === stableContainerName(container.labels[labels.service] ?? ''),
  );
  const running = await Promise.all(
    stable.map(async (container) => {
      const seen = await observeContainer(container, parts.traffic.current(serviceOf(container)));
      const trouble = await parts.troubles?.of(container, seen.state);
      return trouble ? { ...seen, trouble } : seen;
    }),
  );
  const sites = parts.traffic.all().flatMap((route): ObservedService[] => {
    if (route.target.type !== 'site') return [];
    return [
      { serviceId: route.serviceId, deploymentId: route.deploymentId, state: 'running', reachable: true },
    ];
  });
  return [...running, ...sites];
}

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

/** A database is asked at its engine's own port: at the published one Docker takes connections for a dead engine too. */
function askedPort(container: ContainerFacts, route: Route | undefined) {
  if (route) return route.target.type === 'container' ? route.target : null;
  const port = Number(container.labels[labels.port] ?? 0);
  return port > 0 && container.address ? { address: container.address, port } : null;
}

/**
 * Docker starts what ends by itself again, later and later: what keeps dying young has crashed, also while it happens to run. What is
 * neither up nor about to be was stopped by somebody or has crashed for good.
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
