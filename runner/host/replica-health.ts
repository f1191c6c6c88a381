/**
 * Checks the health path of replicas while they serve: a replica with an open port that no longer answers would keep its share of the
 * requests. Services with one container are not checked, because they have no other replica. Sleeping services are not checked, because
 * that would keep them awake.
 */
import { type Clock, pause } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { checkOnce, type HealthOutcome, type HealthTarget } from '../proxy/health-check.ts';
import { addressesOf, type Route, type Traffic } from '../proxy/traffic.ts';
import { visitorsName } from '../proxy/visitors-name.ts';

export interface ReplicaHealth {
  /** True if the last answers of this replica were bad. */
  isSick(deploymentId: string, address: string): boolean;
  /** Resolves when no more checks run. */
  stop(): Promise<void>;
}

export type AskHealth = (target: HealthTarget, timeoutMs: number) => Promise<HealthOutcome>;

/** The interval of checks of each replica. */
export const healthRoundMs = 10_000;
/** The number of bad answers in a row after which a replica gets no requests; one good answer ends that. */
export const badAnswersMax = 3;

/** @param parts.changed called when a replica became sick or well */
export function watchReplicaHealth(parts: {
  traffic: Pick<Traffic, 'all' | 'names'>;
  clock: Clock;
  logger: Pick<Logger, 'warn' | 'info'>;
  changed: (serviceId: string) => void;
  ask?: AskHealth;
}): ReplicaHealth {
  const { traffic, clock, logger, changed, ask = checkOnce } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const badAnswers = new Map<string, number>();
  const asking = new Set<string>();

  async function askOne({ deploymentId, serviceId, hostnames, target }: Route, address: string) {
    if (target.type !== 'container' || !target.health) return;
    const { path, host, timeoutMs } = target.health;
    const key = keyOf(deploymentId, address);
    // A slow replica is not checked twice at a time.
    if (asking.has(key)) return;
    asking.add(key);
    const names = traffic.names().find((one) => one.serviceId === serviceId);
    const { hostname, scheme } = visitorsName(names, hostnames);
    const asked = {
      address,
      port: target.port,
      path,
      hostname: host ?? hostname,
      scheme,
      protocol: target.protocol,
    };
    const outcome = await ask(asked, timeoutMs);
    asking.delete(key);
    if (signal.aborted) return;
    const before = badAnswers.get(key) ?? 0;
    // The replica watch notices a closed port, and sooner.
    const isBad = !outcome.healthy && outcome.reason !== 'port-closed';
    const now = isBad ? Math.min(before + 1, badAnswersMax) : 0;
    badAnswers.set(key, now);
    if (now >= badAnswersMax === before >= badAnswersMax) return;
    const detail = outcome.healthy ? '' : ` (${outcome.detail})`;
    if (isBad) logger.warn(`${serviceId}: the replica at ${address} fails ${path}${detail}`);
    else logger.info(`${serviceId}: the replica at ${address} is asked again`);
    changed(serviceId);
  }

  async function run(): Promise<void> {
    for (;;) {
      await pause(clock, healthRoundMs, signal);
      if (signal.aborted) return;
      const asked = traffic.all().filter(isAsked);
      const present = new Set(asked.flatMap((route) => replicasOf(route).map((one) => one.key)));
      for (const key of badAnswers.keys()) if (!present.has(key)) badAnswers.delete(key);
      for (const route of asked) {
        for (const { address } of replicasOf(route)) {
          askOne(route, address).catch((error: unknown) => logger.warn(String(error)));
        }
      }
    }
  }

  const running = run();
  return {
    isSick: (deploymentId, address) => (badAnswers.get(keyOf(deploymentId, address)) ?? 0) >= badAnswersMax,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const keyOf = (deploymentId: string, address: string) => `${deploymentId} ${address}`;

const isAsked = ({ target, sleepAfterMinutes }: Route) =>
  target.type === 'container' && target.health !== undefined && !!target.others && !sleepAfterMinutes;

function replicasOf({ deploymentId, target }: Route) {
  if (target.type !== 'container') return [];
  return addressesOf(target).map((address) => ({ address, key: keyOf(deploymentId, address) }));
}
