/**
 * Starts stopped containers that should run: a person has stopped them with `docker stop`, or Docker did not start them after its own
 * restart. Containers that end by themselves are restarted by Docker, with growing pauses. Missing containers are the control plane's task:
 * it knows which ones should exist.
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
  /** Receives each end, so that it becomes an event. */
  exits: Pick<ExitHistory, 'addStopped'>;
  /** The reason why the platform stopped a container; `undefined` if it did not. */
  stopReason: (containerId: string) => string | undefined;
  /** True if a job works on the service: it starts and stops the containers itself. */
  hasJob: (serviceId: string) => boolean;
}

/** The interval of checks. A container found stopped twice is started: a job that has just ended may be about to replace it. */
export const lookMs = 20_000;

/** Checks until the signal is aborted. Never rejects. */
export async function keepRunning(parts: KeepRunningParts, signal: AbortSignal): Promise<void> {
  let still = new Set<string>();
  while (!signal.aborted) {
    still = await look(parts, still).catch(() => new Set<string>()); // without Docker no container can be started
    await pause(parts.clock, lookMs, signal);
  }
}

/** @returns the stopped ones @throws DockerError */
async function look(parts: KeepRunningParts, before: ReadonlySet<string>): Promise<Set<string>> {
  const { docker, logger } = parts;
  const containers = await listContainers(docker, { [labels.role]: 'app' });
  const still = containers.filter((one) => shouldRun(parts, one) && !one.running && !one.restarting);
  const again = still.filter((one) => before.has(one.id));
  await Promise.all(
    again.map(async ({ id, name }) => {
      // A job or an owner may have begun to work on the container since the list was created.
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
  if (route === undefined) return true; // a worker or a database; a stopped one has a route with that state
  if (route.deploymentId !== container.labels[labels.deployment] || route.target.type !== 'container')
    return false;
  const { asleep, retryAt, heldUntil } = route.target;
  return asleep === undefined && retryAt === undefined && heldUntil === undefined;
}
