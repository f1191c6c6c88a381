import { rm } from 'node:fs/promises';
import type { HostTaskOf, ProxyResult } from '../../../protocol/host-task.ts';
import { labels } from '../../../protocol/names.ts';
import { releaseDirectory } from '../../builder/release-directory.ts';
import type { DockerHost } from '../../docker/client.ts';
import { hasLiveName, listServiceContainers, stopContainer } from '../../docker/containers.ts';
import { addressesOf, type Route, type Traffic } from '../../proxy/traffic.ts';
import { allOf } from './set-hostnames.ts';

/** The time limit of running requests when an app is to stop. Many apps end at SIGTERM without answering. */
const answerLimitMs = 3_000;
/** The time between SIGTERM and SIGKILL: for an app, and for a database, which first writes its memory to disk. */
const graceSeconds = { app: 10, database: 60 };

/**
 * Stops the live version. Its names first answer that it is stopped, so that no request reaches a container that is about to end. The route
 * has that state until the next deployment, also after restarts: Docker and the reconcile do not start the container.
 * @throws ProxyError, DockerError when the task should be retried
 */
export async function stopService(
  { docker, traffic, dataDirectory }: { docker: DockerHost; traffic: Traffic; dataDirectory: string },
  { serviceId, deploymentId }: HostTaskOf<'stop-service'>,
): Promise<ProxyResult> {
  const containers = await listServiceContainers(docker, serviceId);
  const live = containers.filter(hasLiveName);
  const route = traffic.current(serviceId);
  if ((route?.deploymentId ?? live[0]?.labels[labels.deployment]) !== deploymentId) {
    return { ok: true, detail: 'Another version has gone live in the meantime, so nothing was stopped.' };
  }
  await traffic.switchTo(stoppedRoute(serviceId, deploymentId, route));
  if (route?.target.type === 'container') {
    const { signal } = new AbortController();
    const addresses = addressesOf(route.target);
    await Promise.all(addresses.map((one) => traffic.drained(one, answerLimitMs, signal)));
  }
  const graceOf = (of: Record<string, string>) =>
    of[labels.port] ? graceSeconds.database : graceSeconds.app;
  await Promise.all(live.map(({ id, labels: of }) => stopContainer(docker, id, graceOf(of))));
  await rm(releaseDirectory(dataDirectory, deploymentId), { recursive: true, force: true });
  const hostnames = traffic.current(serviceId)?.hostnames ?? [];
  if (hostnames.length === 0) return { ok: true, detail: 'The service is stopped.' };
  return allOf(await Promise.all(hostnames.map((hostname) => traffic.probe(hostname))));
}

const stoppedRoute = (serviceId: string, deploymentId: string, route: Route | undefined): Route => ({
  ...(route ?? { hostnames: [], hostPort: 0 }),
  serviceId,
  deploymentId,
  target: { type: 'stopped' },
});
