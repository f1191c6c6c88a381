/** Decides which services sleep and which wake, by their requests and connections. */
import { mkdirSync, readdirSync, statSync, utimesSync, watch } from 'node:fs';
import { join } from 'node:path';
import { type Clock, pause } from '../../base/clock.ts';
import { type Logger, messageOf } from '../../base/logger.ts';
import { seenAt } from '../../proxy/edge/wakes.ts';
import type { Route, Traffic } from '../../proxy/traffic.ts';
import type { FailedWake, Sleeper } from './sleeper.ts';

/** The interval of checks for idle services; the metrics are measured as often. */
const roundMs = 10_000;
const minuteMs = 60_000;

export interface SleepWatch {
  /** Resolves when the current work has ended. */
  stop(): Promise<void>;
}

/**
 * A service sleeps after its minutes without a request and without a connection from any client to any port. The time begins again when the runner
 * starts, because it does not know the time before.
 * @param parts.requests returns the number in the last ten seconds, by service
 * @param parts.connections returns the current number to a service
 * @param parts.changed called when a service has fallen asleep or woken
 */
export function watchSleep(parts: {
  traffic: Pick<Traffic, 'all'>;
  sleeper: Sleeper;
  requests: (serviceId: string) => number;
  connections: (route: Route) => Promise<number>;
  changed?: () => void;
  /** Adds a line of the platform to the log of a version. */
  note?: (route: Pick<Route, 'serviceId' | 'deploymentId'>, line: string) => void;
  wakes: string;
  clock: Clock;
  logger: Pick<Logger, 'info' | 'warn'>;
}): SleepWatch {
  const { traffic, sleeper, clock, logger, wakes } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** The start of each version's idle time; by deployment, so that a new version starts at zero. */
  const idleSince = new Map<string, number>();
  const atWork = new Map<string, Promise<void>>();
  mkdirSync(wakes, { recursive: true, mode: 0o700 });

  /** Only one operation at a time for each service. */
  function once(serviceId: string, what: string, work: () => Promise<void>): void {
    if (atWork.has(serviceId) || signal.aborted) return;
    const running = work()
      .catch((error: unknown) => logger.warn(`${serviceId} could not ${what}: ${messageOf(error)}`))
      .then(() => {
        atWork.delete(serviceId);
        if (sleeper.isAsked(serviceId)) wake(serviceId);
      });
    atWork.set(serviceId, running);
  }

  function wake(serviceId: string): void {
    once(serviceId, 'wake', async () => {
      const from = performance.now();
      const slept = traffic.all().find((route) => route.serviceId === serviceId && isAsleep(route));
      const failed = await sleeper.wake(serviceId, signal);
      const ms = Math.round(performance.now() - from);
      if (failed) {
        logger.warn(`${serviceId} could not be woken: ${failed.reason}`);
        if (slept) parts.note?.(slept, failedLine(failed));
        parts.changed?.();
        return;
      }
      const woken = traffic.all().find((route) => route.serviceId === serviceId);
      if (woken && isAsleep(woken)) return; // its last start has failed just now
      logger.info(`${serviceId} woke after ${ms} ms`);
      const waitedMs = woken?.sleep?.lastWakeMs ?? ms;
      if (slept) parts.note?.(slept, `Woken by a request, which waited for ${waitedMs} ms.`);
      parts.changed?.();
    });
  }

  const askedFor = () => {
    try {
      for (const serviceId of readdirSync(wakes)) {
        markSeen(join(wakes, serviceId));
        wake(serviceId);
      }
    } catch (error) {
      logger.warn(`the services that are asked for can't be read: ${messageOf(error)}`);
    }
  };

  async function look(route: Route): Promise<void> {
    const { serviceId, deploymentId, sleepAfterMinutes, target } = route;
    if (!sleepAfterMinutes || target.type !== 'container' || target.asleep) return;
    const isUsed = parts.requests(serviceId) > 0 || (await parts.connections(route)) > 0;
    const since = isUsed ? clock.elapsed() : (idleSince.get(deploymentId) ?? clock.elapsed());
    idleSince.set(deploymentId, since);
    if (clock.elapsed() - since < sleepAfterMinutes * minuteMs) return;
    idleSince.delete(deploymentId);
    once(serviceId, 'sleep', async () => {
      if (!(await sleeper.sleep(serviceId, signal))) return;
      logger.info(`${serviceId} sleeps until it is asked for`);
      parts.note?.(
        route,
        `Asleep: nobody has asked for ${sleepAfterMinutes} minutes. The next request wakes it.`,
      );
      parts.changed?.();
    });
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await pause(clock, roundMs, signal);
      if (signal.aborted) return;
      askedFor(); // checks for requests that the watcher may have missed
      const routes = traffic.all();
      const present = new Set(routes.map(({ deploymentId }) => deploymentId));
      for (const known of idleSince.keys()) if (!present.has(known)) idleSince.delete(known);
      await Promise.all(
        routes.map((route) => look(route).catch((error: unknown) => logger.warn(messageOf(error)))),
      );
    }
  }

  const notWatched = (error: unknown) =>
    logger.warn(`wakes can't be watched, so they are seen ${roundMs / 1_000} s later: ${messageOf(error)}`);
  try {
    watch(wakes, { persistent: false, signal }, askedFor).on('error', notWatched);
  } catch (error) {
    notWatched(error); // the host allows no more watches: fs.inotify.max_user_instances and max_user_watches
  }
  askedFor();
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      await Promise.all(atWork.values());
    },
  };
}

const failedLine = ({ reason, retryInMs }: FailedWake) =>
  `A request was to wake it, but it did not start. ${reason} Requests get 503 for ${retryInMs / 1_000} s; then the next one tries again.`;

const isAsleep = ({ target }: Route) => target.type === 'container' && target.asleep === true;

/** Marks a file for edge as received. Only once for each file, because the watcher sees the mark, too. */
function markSeen(file: string): void {
  const asked = statSync(file, { throwIfNoEntry: false });
  if (!asked || asked.mtimeMs === seenAt) return;
  try {
    utimesSync(file, seenAt / 1_000, seenAt / 1_000);
  } catch (error) {
    // The service was woken in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
