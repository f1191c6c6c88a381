/** What runs on the host now, for `observed` frames. */
import type { RunnerFrameOf } from '../../protocol/frames.ts';
import { labels, stableContainerName } from '../../protocol/names.ts';
import { portAnswers } from '../proxy/health-check.ts';
import type { Route, Traffic } from '../proxy/traffic.ts';
import type { DockerHost } from './client.ts';
import { type ContainerFacts, listContainers } from './containers.ts';

export type ObservedService = RunnerFrameOf<'observed'>['services'][number];

/** A container on the same host that does not take a connection in this time is not reachable. */
const probeTimeoutMs = 1_000;

/**
 * The live version of every service: stable containers by label, static sites by their route.
 * `reachable`: its port took a connection just now; a worker has none and is reachable while it runs.
 * @throws DockerError
 */
export async function observe(parts: { docker: DockerHost; traffic: Traffic }): Promise<ObservedService[]> {
  const containers = await listContainers(parts.docker, { [labels.role]: 'app' });
  const stable = containers.filter(
    (container) => container.name === stableContainerName(container.labels[labels.service] ?? ''),
  );
  const running = await Promise.all(
    stable.map((container) => observeContainer(container, parts.traffic.current(serviceOf(container)))),
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
  const target = route?.target;
  return {
    serviceId: serviceOf(container),
    deploymentId: container.labels[labels.deployment] ?? '',
    state,
    reachable:
      state === 'running' &&
      (target?.type !== 'container' || (await portAnswers(target.address, target.port, probeTimeoutMs))),
  };
}

/** Docker restarts what ends by itself, so an ended container was stopped by somebody or has crashed for good. */
function stateOf({ running, restarting, exitCode }: ContainerFacts): ObservedService['state'] {
  if (restarting) return 'crashed';
  if (running) return 'running';
  return exitCode === 0 ? 'stopped' : 'crashed';
}

const serviceOf = (container: ContainerFacts) => container.labels[labels.service] ?? '';
