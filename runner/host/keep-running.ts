/**
 * Starts containers again that stand still although they should run: somebody has stopped them with `docker stop`, or Docker did not start
 * them after its own restart. Docker restarts what ends by itself, with growing pauses. Containers that are gone are the control plane's
 * matter: it knows what should be there.
 */
import { labels } from '../../protocol/names.ts';
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import type { DockerHost } from '../docker/client.ts';
import {
  type ContainerFacts,
  hasLiveName,
  inspectContainer,
  listContainers,
  startContainer,
} from '../docker/containers.ts';
import type { ExitHistory } from '../docker/events.ts';
import type { Traffic } from '../proxy/traffic.ts';

export interface KeepRunningParts {
  docker: DockerHost;
  traffic: Pick<Traffic, 'current'>;
  clock: Clock;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** Learns of each end, so that it becomes an event. */
  exits: Pick<ExitHistory, 'addStopped'>;
  /** Why the platform stopped a container; undefined if it did not. */
  stopReason: (containerId: string) => string | undefined;
  /** Whether a job works on the service: it starts and stops its containers itself. */
  hasJob: (serviceId: string) => boolean;
}

/** A container that stands still at two looks is started at the second: a job that has just ended may be about to replace it. */
export const lookMs = 20_000;

/** Looks until the signal is aborted. Never rejects. */
export async function keepRunning(parts: KeepRunningParts, signal: AbortSignal): Promise<void> {
  let still = new Set<string>();
  while (!signal.aborted) {
    still = await look(parts, still).catch(() => new Set<string>()); // without Docker there is nothing to start
    await pause(parts.clock, lookMs, signal);
  }
}

/** @returns those that stand still @throws DockerError */
async function look(parts: KeepRunningParts, before: ReadonlySet<string>): Promise<Set<string>> {
  const { docker, logger } = parts;
  const containers = await listContainers(docker, { [labels.role]: 'app' });
  const still = containers.filter((one) => shouldRun(parts, one) && !one.running && !one.restarting);
  const again = still.filter((one) => before.has(one.id));
  await Promise.all(
    again.map(async ({ id, name }) => {
      // A job or an owner may have begun to work on it since the list was made.
      const now = await inspectContainer(docker, id).catch(() => undefined);
      if (!now || now.running || now.restarting || !shouldRun(parts, now)) return;
      logger.info(`${name} was stopped by something else; starting it again`);
      try {
        await startContainer(docker, id);
        parts.exits.addStopped(now, parts.clock.now());
      } catch (error) {
        logger.warn(`${name} does not start: ${messageOf(error)}`);
      }
    }),
  );
  return new Set(still.map(({ id }) => id));
}

function shouldRun({ traffic, stopReason, hasJob }: KeepRunningParts, container: ContainerFacts): boolean {
  const serviceId = container.labels[labels.service] ?? '';
  if (!hasLiveName(container) || hasJob(serviceId) || stopReason(container.id) !== undefined) return false;
  const route = traffic.current(serviceId);
  if (route === undefined) return true; // a worker or a database; a stopped one has a route that says so
  if (route.deploymentId !== container.labels[labels.deployment] || route.target.type !== 'container')
    return false;
  const { asleep, retryAt, heldUntil } = route.target;
  return asleep === undefined && retryAt === undefined && heldUntil === undefined;
}
