/** Takes replicas that don't answer out of the traffic, and back into it once they do. Services with one container are left alone. */
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import { portAnswers } from '../base/port-answers.ts';
import type { LiveNames } from '../firewall/live-names.ts';
import { addressesOf, type Route, type Traffic } from '../proxy/traffic.ts';
import { type AskHealth, watchReplicaHealth } from './replica-health.ts';

export interface ReplicaWatch {
  /** Call whenever a container has started or ended. */
  changed(): void;
  /** Resolves when a check that runs has ended. */
  stop(): Promise<void>;
}

/** A container on the same host that does not accept a connection within this time gets no requests. */
const answerMs = 1_000;
/** While a replica is down it is asked again after this time. */
const retryMs = 500;

/**
 * Docker says within milliseconds that a container has ended. Until then, requests that meet it can't connect, and the proxy repeats them
 * with another replica; but not those with a body up to Caddy 2.11.1 (https://github.com/caddyserver/caddy/issues/7546).
 * A replica that hangs keeps its port open; its health path shows it (`replica-health.ts`).
 * @param parts.answers whether a port accepts connections
 * @param parts.askHealth asks the health path of one replica
 */
export function watchReplicas(parts: {
  traffic: Pick<Traffic, 'all' | 'setDown'>;
  /** Internal names, too, lead only to replicas that answer. */
  names?: Pick<LiveNames, 'sync'>;
  clock: Clock;
  logger: Pick<Logger, 'warn' | 'info'>;
  answers?: (address: string, port: number) => Promise<boolean>;
  askHealth?: AskHealth;
}): ReplicaWatch {
  const { traffic, names, clock, logger, askHealth } = parts;
  const { answers = (address: string, port: number) => portAnswers(address, port, answerMs) } = parts;
  const stopping = new AbortController();
  let isAsked = false;
  let running: Promise<void> | undefined;

  const health = watchReplicaHealth({
    ...{ traffic, clock, logger, changed },
    ...(askHealth ? { ask: askHealth } : {}),
  });

  /** @returns whether the ports of all replicas are open */
  async function check({ serviceId, deploymentId, target }: Route): Promise<boolean> {
    if (target.type !== 'container') return true;
    const asked = addressesOf(target).map(async (address) => ({
      address,
      isUp: await answers(address, target.port),
    }));
    const seen = await Promise.all(asked);
    const down = seen.filter(({ address, isUp }) => !isUp || health.isSick(deploymentId, address));
    await traffic.setDown(
      { serviceId, deploymentId },
      down.map(({ address }) => address),
    );
    return seen.every(({ isUp }) => isUp);
  }

  async function run(): Promise<void> {
    let areAllUp = true;
    while ((isAsked || !areAllUp) && !stopping.signal.aborted) {
      isAsked = false;
      const routes = traffic
        .all()
        .filter(({ target }) => target.type === 'container' && target.others && !target.asleep);
      const checked = await Promise.all(
        routes.map((route) =>
          check(route).catch((error: unknown) => {
            logger.warn(`the replicas of ${route.serviceId} could not be checked: ${messageOf(error)}`);
            return false;
          }),
        ),
      );
      areAllUp = checked.every(Boolean);
      if (routes.length > 0) await names?.sync();
      if (!areAllUp) await pause(clock, retryMs, stopping.signal);
    }
    running = undefined;
  }

  function changed(): void {
    isAsked = true;
    running ??= run();
  }

  return {
    changed,
    async stop() {
      stopping.abort();
      await health.stop();
      await running;
    },
  };
}
