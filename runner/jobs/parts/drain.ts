/** What is open to a version goes on after another one has taken over, for as long as the owner of the service wants. */
import { setTimeout as delay } from 'node:timers/promises';
import { labels } from '../../../protocol/names.ts';
import { defaultDrainSeconds } from '../../../protocol/settings/stop-settings.ts';
import type { DockerHost } from '../../docker/client.ts';
import { inspectContainer, listServiceContainers } from '../../docker/containers.ts';
import { isNotFound } from '../../docker/docker-error.ts';
import { connectionsInto, growingPauseMs } from '../../proxy/tcp-table.ts';
import type { Traffic } from '../../proxy/traffic.ts';

/** After the usual time, so many newer versions end the drain of a version: deployments in quick succession must not fill the host. */
const newerVersionsMax = 4;
const usualMs = defaultDrainSeconds * 1_000;
/** How often Docker is asked, and the longest pause between two looks at the connections. */
const lookMs = 1_000;

export interface Drained {
  containerId: string;
  address: string | null;
  serviceId?: string | undefined;
  drainMs?: number | undefined;
  since?: number | undefined;
}

/**
 * Resolves when nobody is connected to the container any more, when its time is over, when it has ended, or, after the usual time, when
 * there are too many newer versions.
 * @throws DockerError; the signal's reason
 */
export async function drain(
  { docker, traffic }: { docker: DockerHost; traffic: Pick<Traffic, 'drained'> },
  { containerId, address, serviceId, drainMs = usualMs, since }: Drained,
  signal: AbortSignal,
): Promise<void> {
  // The time goes on while the runner is away. A clock that was set back must not make it longer.
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
