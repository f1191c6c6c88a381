/**
 * Takes replicas that don't answer out of the traffic, and back into it once they do. If none is left, or a service's only container ends,
 * requests wait in the proxy until one answers.
 */
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import { portAnswers } from '../base/port-answers.ts';
import type { ExitHistory } from '../docker/events.ts';
import type { LiveNames } from '../firewall/live-names.ts';
import { holdMs, isHeld } from '../proxy/edge/held-requests.ts';
import {
  addressesOf,
  type ContainerTarget,
  type DownReplicas,
  type Route,
  type Traffic,
} from '../proxy/traffic.ts';
import { type AskHealth, watchReplicaHealth } from './replica-health.ts';

export interface ReplicaWatch {
  /** Call whenever a container has started or ended. @param serviceId absent: of any service, and Docker answers */
  changed(serviceId?: string): void;
  /** Call when Docker does not answer: it may be about to stop, and no longer reports ends. Until the next `changed()` all services are checked. */
  dockerAway(): void;
  /** Resolves when the current check has ended. */
  stop(): Promise<void>;
}

/** The time limit of a connection: a container on the same host that does not accept it in time gets no requests. Its kernel accepts, not the app. */
const answerMs = 300;
/** The interval of checks while a replica is down; the later one applies two minutes after the last change. */
const retryMs = { first: 100, later: 5_000 };
/** The time that a service is checked after an event: Docker reports a signal at once, and the end only after its clean-up. */
const eventMs = 1_000;
/** A version whose container has ended this often by itself lets no requests wait: it will end again. */
const ends = { max: 3, withinMs: 600_000 };

type ServedRoute = Route & { target: ContainerTarget };

/**
 * Docker reports the end of a container within milliseconds. Until then, requests to it can't connect, and the proxy repeats them with
 * another replica; up to Caddy 2.11.1 not those with a body (https://github.com/caddyserver/caddy/issues/7546). A stopping Docker ends the
 * containers without a report, unless it has `live-restore`; so then all services are checked. A replica that hangs keeps its port open;
 * its health path shows that (`replica-health.ts`).
 * @param parts.answers returns true if a port accepts connections
 * @param parts.askHealth requests the health path of one replica
 * @param parts.exits the ends of containers
 */
export function watchReplicas(parts: {
  traffic: Pick<Traffic, 'all' | 'names' | 'setDown'>;
  /** Internal names, too, resolve only to replicas that answer. */
  names?: Pick<LiveNames, 'sync'>;
  clock: Clock;
  logger: Pick<Logger, 'warn' | 'info'>;
  answers?: (address: string, port: number) => Promise<boolean>;
  askHealth?: AskHealth;
  exits?: Pick<ExitHistory, 'endsOf'>;
}): ReplicaWatch {
  const { traffic, names, clock, logger, askHealth, exits } = parts;
  const { answers = (address: string, port: number) => portAnswers(address, port, answerMs) } = parts;
  const stopping = new AbortController();
  /** Services to check, each with its end in `clock.elapsed()`. */
  const asked = new Map<string, number>();
  let isAskedAll = false;
  let isDockerAway = false;
  /** Services with a closed port at the last check. */
  const silent = new Set<string>();
  let changedAt = clock.elapsed();
  let looks = 0;
  /** The state for which the internal names were last set. */
  let namesOf = '';
  let waking = new AbortController();
  let running: Promise<void> | undefined;

  const health = watchReplicaHealth({
    ...{ traffic, clock, logger, changed: look },
    ...(askHealth ? { ask: askHealth } : {}),
  });

  async function check({ serviceId, deploymentId, target }: ServedRoute): Promise<DownReplicas> {
    const seen = await Promise.all(
      addressesOf(target).map(async (address) => ({ address, isUp: await answers(address, target.port) })),
    );
    if (seen.every(({ isUp }) => isUp)) silent.delete(serviceId);
    else silent.add(serviceId);
    const down = seen
      .filter(({ address, isUp }) => !isUp || health.isSick(deploymentId, address))
      .map(({ address }) => address);
    const version = { serviceId, deploymentId, down };
    if (seen.some(({ isUp }) => isUp)) return version;
    const now = clock.now();
    const ended = exits?.endsOf(deploymentId, now - ends.withinMs) ?? 0;
    const { awayUntil = now + holdMs } = target;
    return { ...version, awayUntil: ended >= ends.max ? Math.min(awayUntil, now) : awayUntil };
  }

  /** A job that stops a version for a moment releases its requests itself. */
  const isWatched = (route: Route): route is ServedRoute =>
    route.target.type === 'container' && !route.target.asleep && !isHeld(route.target, clock.now());

  function due(): ServedRoute[] {
    const routes = traffic.all().filter(isWatched);
    const present = new Set(routes.map(({ serviceId }) => serviceId));
    for (const known of silent) if (!present.has(known)) silent.delete(known);
    const isDue = ({ serviceId }: Route) =>
      isAskedAll || isDockerAway || asked.has(serviceId) || silent.has(serviceId);
    const found = routes.filter(isDue);
    for (const [serviceId, until] of asked) if (until < clock.elapsed()) asked.delete(serviceId);
    isAskedAll = false;
    return found;
  }

  /** Sets the names after each event, and whenever other replicas answer than before. */
  async function syncNames(routes: readonly ServedRoute[], checked: readonly DownReplicas[]): Promise<void> {
    if (!routes.some(({ target }) => target.others)) return;
    const seen = JSON.stringify([looks, checked.map(({ deploymentId, down }) => [deploymentId, down])]);
    if (seen === namesOf) return;
    namesOf = seen;
    await names?.sync();
  }

  async function run(): Promise<void> {
    await Promise.resolve(); // otherwise a host without routes ends the loop before `running` is set
    while (!stopping.signal.aborted) {
      waking = new AbortController();
      const routes = due();
      if (routes.length === 0) break;
      try {
        const checked = await Promise.all(routes.map(check));
        await traffic.setDown(checked);
        await syncNames(routes, checked);
      } catch (error) {
        logger.warn(`what does not answer could not be taken out of the traffic: ${messageOf(error)}`);
        for (const { serviceId } of routes) silent.add(serviceId);
      }
      const isRecent = clock.elapsed() - changedAt < holdMs;
      const wake = AbortSignal.any([stopping.signal, waking.signal]);
      await pause(clock, isRecent ? retryMs.first : retryMs.later, wake);
    }
    running = undefined;
  }

  function look(serviceId?: string): void {
    if (serviceId === undefined) isAskedAll = true;
    else asked.set(serviceId, clock.elapsed() + eventMs);
    changedAt = clock.elapsed();
    looks += 1;
    waking.abort();
    running ??= run();
  }

  return {
    changed(serviceId) {
      if (serviceId === undefined) isDockerAway = false;
      look(serviceId);
    },
    dockerAway() {
      if (isDockerAway) return;
      isDockerAway = true;
      look();
    },
    async stop() {
      stopping.abort();
      await health.stop();
      await running;
    },
  };
}
