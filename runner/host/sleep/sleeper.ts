/**
 * Stops the containers of a version that nobody asks, and starts them with the next request. First the route says that it is asleep, so
 * that requests wait; only then the containers stop. A request that came in between is served without a stop.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { labels } from '../../../protocol/names.ts';
import { messageOf } from '../../base/logger.ts';
import { portAnswers } from '../../base/port-answers.ts';
import type { DockerHost } from '../../docker/client.ts';
import {
  type ContainerFacts,
  listServiceContainers,
  startContainer,
  stopContainer,
} from '../../docker/containers.ts';
import { outOfMemorySentence } from '../../docker/events.ts';
import { isAhead } from '../../proxy/edge/held-requests.ts';
import { addressesOf, type ContainerTarget, type Route, type Traffic } from '../../proxy/traffic.ts';
import { connectionsOf } from './connections.ts';

export interface Sleeper {
  /**
   * @returns whether its containers are stopped now; false if there are connections, or a request came in the meantime
   * @throws DockerError, ProxyError: it is awake again
   */
  sleep(serviceId: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Starts it and sends it the requests that wait. If its containers end or can't be started, it is stopped again, and requests are answered
   * that it could not be started. Nobody tries again until some time has passed, which is longer after each failure.
   * @returns null if it is awake
   * @throws ProxyError
   */
  wake(serviceId: string, signal: AbortSignal): Promise<FailedWake | null>;
  /** Whether somebody waits for it. */
  isAsked(serviceId: string): boolean;
}

export interface FailedWake {
  /** A sentence for the owner of the service. */
  reason: string;
  /** When the next request tries again. */
  retryInMs: number;
}

/** Caddy closes idle connections to an app after 1.5 s; whatever is open longer is used. */
const idleConnectionsMs = 3_000;
/** A server that needs longer gets its requests anyway: the proxy says that it does not answer. */
const startLimitMs = 110_000;
const startPollMs = 50;
/** How often Docker is asked whether the containers still run. */
const lookMs = 250;
/** One that has ended this often does not start. Docker's pauses before these are 0.1, 0.2 and 0.4 s. */
const endsMax = 3;
/** Until a request tries again: after the first failure, doubled by each more. Below the two minutes that edge believes. */
const retryMs = { first: 5_000, most: 60_000 };
const answerMs = 1_000;

export function createSleeper(parts: {
  docker: DockerHost;
  traffic: Pick<Traffic, 'current' | 'setAsleep' | 'drained'>;
  /** Where edge writes down who is asked for. */
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

  /** @returns why it does not start; undefined if its port answers, or may still do so */
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
        const reason = whyEnded(await containersOf(route));
        if (reason !== undefined) return reason;
      }
      await delay(startPollMs, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  /** By deployment: how often in a row it could not be started. A new version begins at zero. */
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
    // Otherwise Docker starts it again and again. If it can't be stopped, the next request finds it running.
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
      // Waits for the end of each: a start that came in the meantime would be undone by the stop.
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
  /** One after the other for each service: a wake in the middle of falling asleep would be undone by the stop. */
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

/** @returns undefined while one of them may still answer */
function whyEnded(containers: readonly ContainerFacts[]): string | undefined {
  if (containers.some(({ running, restarting, restarts }) => restarts < endsMax && (running || restarting)))
    return undefined;
  const [first] = containers;
  if (!first) return 'Its container is gone.';
  const often = first.restarts > 1 ? ` ${first.restarts} times in a row` : '';
  if (first.outOfMemory) return outOfMemorySentence(first.memoryLimitMb);
  // While one runs, Docker has forgotten the code of its last end.
  return `Its container ended${first.running ? '' : ` with exit code ${first.exitCode}`}${often}.`;
}
