/** Open connections to a version continue after another version has replaced it, for the time that the owner of the service sets. */
import { setTimeout as delay } from 'node:timers/promises';
import { defaultDrainSeconds } from '../../../protocol/container-settings.ts';
import { labels } from '../../../protocol/names.ts';
import type { DockerHost } from '../../docker/client.ts';
import { inspectContainer, listServiceContainers } from '../../docker/containers.ts';
import { isNotFound } from '../../docker/docker-error.ts';
import { connectionsInto, growingPauseMs } from '../../proxy/tcp-table.ts';
import type { Traffic } from '../../proxy/traffic.ts';

/** The number of newer versions that ends the drain of a version after the usual time: deployments in quick succession must not fill the host. */
const newerVersionsMax = 4;
const usualMs = defaultDrainSeconds * 1_000;
/** The interval of questions to Docker, and the longest pause between two checks of the connections. */
const lookMs = 1_000;

export interface Drained {
  containerId: string;
  address: string | null;
  serviceId?: string | undefined;
  drainMs?: number | undefined;
  since?: number | undefined;
}

/**
 * Resolves when the container has no more connections, its time is over, it has ended, or, after the usual time, there are too many newer
 * versions.
 * @throws DockerError; the signal's reason
 */
export async function drain(
  { docker, traffic }: { docker: DockerHost; traffic: Pick<Traffic, 'drained'> },
  { containerId, address, serviceId, drainMs = usualMs, since }: Drained,
  signal: AbortSignal,
): Promise<void> {
  // The time continues while the runner is stopped. A clock set back must not make it longer.
  const passedMs = since === undefined ? 0 : Math.max(0, Date.now() - since);
  const endsAt = performance.now() + drainMs - passedMs;
  const leftMs = () => endsAt - performance.now();
  const beganAt = performance.now();
  // The proxy opens new connections until it knows the new route.
  if (address) await traffic.drained(address, Math.min(leftMs(), lookMs), signal);
  while (leftMs() > 0) {
    const container = await inspectContainer(docker, containerId, signal).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (!container?.running) return;
    const isLong = drainMs - leftMs() > usualMs;
    if (isLong && (await isCrowdedOut(docker, serviceId, container.createdAt))) return;
    const lookAgainAt = performance.now() + lookMs;
    while (leftMs() > 0 && performance.now() < lookAgainAt) {
      if ((await connectionsInto({ pid: container.pid, address })) === 0) return;
      const pauseMs = Math.min(growingPauseMs(beganAt), lookMs, Math.max(0, leftMs()));
      await delay(pauseMs, undefined, { signal });
    }
  }
}

async function isCrowdedOut(
  docker: DockerHost,
  serviceId: string | undefined,
  createdAt: number,
): Promise<boolean> {
  if (serviceId === undefined) return false;
  const all = await listServiceContainers(docker, serviceId);
  const newer = all.filter((one) => one.createdAt > createdAt).map((one) => one.labels[labels.deployment]);
  return new Set(newer).size >= newerVersionsMax;
}
