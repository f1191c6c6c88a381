/**
 * Stops the containers of a version that nobody asks, and starts them with the next request. First the route says that it is asleep, so
 * that requests wait; only then the containers stop. A request that came in between is served without a stop.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { labels } from '../../../protocol/names.ts';
import type { DockerHost } from '../../docker/client.ts';
import {
  type ContainerFacts,
  listServiceContainers,
  startContainer,
  stopContainer,
} from '../../docker/containers.ts';
import { portAnswers } from '../../proxy/health-check.ts';
import { tcpTable } from '../../proxy/tcp-table.ts';
import { addressesOf, type ContainerTarget, type Route, type Traffic } from '../../proxy/traffic.ts';

export interface Sleeper {
  /**
   * @returns whether its containers are stopped now; false if there are connections, or a request came in the meantime
   * @throws DockerError, ProxyError: it is awake again
   */
  sleep(serviceId: string, signal: AbortSignal): Promise<boolean>;
  /** Starts it and sends it the requests that wait. Does nothing if it is awake. @throws DockerError; requests go to it in any case */
  wake(serviceId: string, signal: AbortSignal): Promise<void>;
  /** Whether somebody waits for it. */
  isAsked(serviceId: string): boolean;
}

/** Caddy closes idle connections to an app after 1.5 s; whatever is open longer is used. */
const idleConnectionsMs = 3_000;
/** A server that needs longer gets its requests anyway: the proxy says that it does not answer. */
const startLimitMs = 110_000;
const startPollMs = 50;
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

  async function start(route: Route & { target: ContainerTarget }, signal: AbortSignal): Promise<void> {
    const containers = await containersOf(route);
    await Promise.all(containers.map(({ id }) => startContainer(docker, id)));
    const endsAt = performance.now() + startLimitMs;
    const answers = () =>
      Promise.all(addressesOf(route.target).map((one) => portAnswers(one, route.target.port, answerMs)));
    while (!(await answers()).includes(true) && performance.now() < endsAt && !signal.aborted) {
      await delay(startPollMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async function wakeNow(serviceId: string, signal: AbortSignal): Promise<void> {
    const route = live(serviceId);
    const from = performance.now();
    try {
      if (route?.target.asleep) await start(route, signal);
    } finally {
      if (route?.target.asleep) {
        const lastWakeMs = Math.round(performance.now() - from);
        await traffic.setAsleep(route, { asleepSince: null, lastWokeAt: Date.now(), lastWakeMs });
      }
      rmSync(asked(serviceId), { force: true });
    }
  }

  async function sleepNow(serviceId: string, signal: AbortSignal): Promise<boolean> {
    const route = live(serviceId);
    if (!route || route.target.asleep || (await isBeingReplaced(route))) return false;
    rmSync(asked(serviceId), { force: true });
    try {
      await traffic.setAsleep(route, { ...historyOf(route), asleepSince: Date.now() });
      const addresses = addressesOf(route.target);
      await Promise.all(addresses.map((one) => traffic.drained(one, idleConnectionsMs, signal)));
      if (existsSync(asked(serviceId)) || (await hasConnections(addresses))) {
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

async function hasConnections(addresses: readonly string[]): Promise<boolean> {
  const entries = await tcpTable();
  return entries.some(
    ({ state, remoteAddress }) => state === 'established' && addresses.includes(remoteAddress),
  );
}
