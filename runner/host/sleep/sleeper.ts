/**
 * Stops the containers of an unused version, and starts them with the next request. The route is first set to asleep, so that requests
 * wait; only then the containers stop. A request in between is served without a stop.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { labels } from '../../../protocol/names.ts';
import { messageOf } from '../../base/logger.ts';
import { commandMark, hasProcesses, shellMark } from '../../base/marked-processes.ts';
import { portAnswers } from '../../base/port-answers.ts';
import type { DockerHost } from '../../docker/client.ts';
import {
  type ContainerFacts,
  listServiceContainers,
  startContainer,
  stopContainer,
} from '../../docker/containers.ts';
import { endOf, outOfMemorySentence } from '../../docker/events.ts';
import { isAhead } from '../../proxy/edge/held-requests.ts';
import { connectionsInto } from '../../proxy/tcp-table.ts';
import { addressesOf, type ContainerTarget, type Route, type Traffic } from '../../proxy/traffic.ts';

export interface Sleeper {
  /**
   * @returns true if its containers are stopped now; false if there are connections, or a request arrived in the meantime
   * @throws DockerError, ProxyError: it is awake again
   */
  sleep(serviceId: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Starts the version and sends it the waiting requests. If its containers end or can't be started, it is stopped again, and requests get
   * the answer that it could not be started. The next try waits for some time, which is longer after each failure.
   * @returns `null` if it is awake
   * @throws ProxyError
   */
  wake(serviceId: string, signal: AbortSignal): Promise<FailedWake | null>;
  /** True if a request waits for the service. */
  isAsked(serviceId: string): boolean;
}

export interface FailedWake {
  /** A sentence for the owner of the service. */
  reason: string;
  /** The time after which the next request tries again. */
  retryInMs: number;
}

/** Caddy closes idle connections to an app after 1.5 s; a connection that is open longer is in use. */
const idleConnectionsMs = 3_000;
/** A slower server gets its requests anyway: the proxy then reports that it does not answer. */
const startLimitMs = 110_000;
const startPollMs = 50;
/** The interval of checks that the containers still run. */
const lookMs = 250;
/** The number of ends after which a version counts as failed. Docker's pauses before these are 0.1, 0.2 and 0.4 s. */
const endsMax = 3;
/** The pause before a request tries again, doubled by each failure after the first. It is below edge's limit of two minutes. */
const retryMs = { first: 5_000, most: 60_000 };
const answerMs = 1_000;

export function createSleeper(parts: {
  docker: DockerHost;
  traffic: Pick<Traffic, 'current' | 'setAsleep' | 'drained'>;
  /** The directory in which edge records requested services. */
  wakes: string;
}): Sleeper {
  const { docker, traffic, wakes } = parts;
  const asked = (serviceId: string) => join(wakes, serviceId);

  const live = (serviceId: string) => {
    const route = traffic.current(serviceId);
    return route?.target.type === 'container' ? { ...route, target: route.target } : undefined;
  };

  async function containersOf({ serviceId, deploymentId }: Route): Promise<ContainerFacts[]> {
    const all = await listServiceContainers(docker, serviceId);
    return all.filter(({ labels: of }) => of[labels.deployment] === deploymentId);
  }

  const historyOf = ({ sleep }: Route) => sleep ?? { asleepSince: null, lastWokeAt: null, lastWakeMs: null };

  /** @returns the reason why it does not start; `undefined` if its port answers, or may still do so */
  async function start(
    route: Route & { target: ContainerTarget },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const containers = await containersOf(route);
    await Promise.all(containers.map(({ id }) => startContainer(docker, id)));
    const from = performance.now();
    let lookedAt = from;
    const answers = () =>
      Promise.all(addressesOf(route.target).map((one) => portAnswers(one, route.target.port, answerMs)));
    while (!(await answers()).includes(true) && !signal.aborted) {
      const now = performance.now();
      if (now > from + startLimitMs) return undefined;
      if (now > lookedAt + lookMs) {
        lookedAt = now;
        const reason = await whyEnded(docker, await containersOf(route));
        if (reason !== undefined) return reason;
      }
      await delay(startPollMs, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  /** The number of failed starts in a row, by deployment. A new version begins at zero. */
  const failures = new Map<string, { serviceId: string; count: number }>();

  async function wakeNow(serviceId: string, signal: AbortSignal): Promise<FailedWake | null> {
    for (const [deploymentId, { serviceId: of }] of failures)
      if (traffic.current(of)?.deploymentId !== deploymentId) failures.delete(deploymentId);
    const route = live(serviceId);
    try {
      if (!route?.target.asleep || isAhead(route.target.retryAt, Date.now())) return null;
      const from = performance.now();
      const reason = await start(route, signal).catch(messageOf);
      if (reason !== undefined) return await giveUp(route, reason);
      failures.delete(route.deploymentId);
      const lastWakeMs = Math.round(performance.now() - from);
      await traffic.setAsleep(route, { asleepSince: null, lastWokeAt: Date.now(), lastWakeMs });
      return null;
    } finally {
      rmSync(asked(serviceId), { force: true });
    }
  }

  async function giveUp(route: Route, reason: string): Promise<FailedWake> {
    const { serviceId, deploymentId } = route;
    const count = (failures.get(deploymentId)?.count ?? 0) + 1;
    failures.set(deploymentId, { serviceId, count });
    const retryInMs = Math.min(retryMs.first * 2 ** (count - 1), retryMs.most);
    await traffic.setAsleep(route, historyOf(route), Date.now() + retryInMs);
    // Stops them, because Docker would restart them again and again. If that fails, the next request finds them running.
    const containers = await containersOf(route).catch(() => []);
    await Promise.all(containers.map(({ id }) => stopContainer(docker, id).catch(() => undefined)));
    return { reason, retryInMs };
  }

  async function sleepNow(serviceId: string, signal: AbortSignal): Promise<boolean> {
    const route = live(serviceId);
    if (!route || route.target.asleep || (await isBeingReplaced(route))) return false;
    rmSync(asked(serviceId), { force: true });
    try {
      await traffic.setAsleep(route, { ...historyOf(route), asleepSince: Date.now() });
      const addresses = addressesOf(route.target);
      await Promise.all(addresses.map((one) => traffic.drained(one, idleConnectionsMs, signal)));
      if (existsSync(asked(serviceId)) || (await connectionsOf(docker, route)) > 0) {
        await traffic.setAsleep(route, { ...historyOf(route), asleepSince: null });
        return false;
      }
      // Waits for the end of each stop, which would undo a start in the meantime.
      await Promise.all((await containersOf(route)).map(({ id }) => stopContainer(docker, id)));
      return true;
    } catch (error) {
      await wakeNow(serviceId, signal);
      throw error;
    }
  }

  /** A deployment has started its new version, and may need this one again. */
  async function isBeingReplaced({ serviceId, deploymentId }: Route): Promise<boolean> {
    const all = await listServiceContainers(docker, serviceId);
    return all.some(({ labels: of }) => of[labels.deployment] !== deploymentId);
  }

  const turns = new Map<string, Promise<unknown>>();
  /** Runs the work of each service one after the other: a wake in the middle of falling asleep would be undone by the stop. */
  function inTurn<Result>(serviceId: string, work: () => Promise<Result>): Promise<Result> {
    const next = (turns.get(serviceId) ?? Promise.resolve()).then(work, work);
    const ended = next
      .catch(() => undefined)
      .then(() => {
        if (turns.get(serviceId) === ended) turns.delete(serviceId);
      });
    turns.set(serviceId, ended);
    return next;
  }

  return {
    isAsked: (serviceId) => existsSync(asked(serviceId)),
    sleep: (serviceId, signal) => inTurn(serviceId, () => sleepNow(serviceId, signal)),
    wake: (serviceId, signal) => inTurn(serviceId, () => wakeNow(serviceId, signal)),
  };
}

/** @returns `undefined` while one of the containers may still answer */
async function whyEnded(
  docker: DockerHost,
  containers: readonly ContainerFacts[],
): Promise<string | undefined> {
  if (containers.some(({ running, restarting, restarts }) => restarts < endsMax && (running || restarting)))
    return undefined;
  const [first] = containers;
  if (!first) return 'Its container is gone.';
  const often = first.restarts > 1 ? `, ${first.restarts} times in a row` : '';
  const { exitCode, outOfMemory } = await endOf(docker, first);
  if (outOfMemory) return outOfMemorySentence(first.memoryLimitMb);
  return `Its container ended${exitCode === null ? '' : ` with exit code ${exitCode}`}${often}.`;
}

/**
 * The number of open connections to a version, on any of its ports: those of the proxy, and of other services of the project, which the
 * host's own table does not show. An open shell or a command that runs in one of its containers counts as one; a
 * shell that nobody uses ends by itself.
 * @throws DockerError
 */
export async function connectionsOf(
  docker: DockerHost,
  { serviceId, deploymentId, target }: Route,
): Promise<number> {
  if (target.type !== 'container') return 0;
  const containers = await listServiceContainers(docker, serviceId);
  const counts = containers
    .filter(({ labels: of, running }) => of[labels.deployment] === deploymentId && running)
    .map(async (one) => (await connectionsInto(one)) + (await usersIn(docker, one)));
  return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0);
}

/** Only a container with an added program is searched, because a search looks at every process of the host. */
async function usersIn({ instance }: DockerHost, { hasExec, pid }: ContainerFacts): Promise<number> {
  if (!hasExec) return 0;
  const marks = [commandMark(instance), shellMark(instance)];
  const found = await Promise.all(marks.map((mark) => hasProcesses({ mark, leader: 0, container: pid })));
  return found.filter(Boolean).length;
}
