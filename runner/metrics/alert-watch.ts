/** Decides from each measurement which alerts hold on this host. Pure: samples in, alerts out. */
import { alertClearSeconds, type FiringAlert, firingMax, isOwnRule } from '../../protocol/metrics/alerts.ts';
import type { OwnRule } from '../../protocol/metrics/own-rules.ts';
import { type Reading, readingsOf } from './alert-readings.ts';
import { hostKey } from './columns.ts';
import type { LatestMetrics } from './take-samples.ts';

/** The time after the start in which no alert begins or ends, because earlier measurements are unknown. */
const warmUpMs = alertClearSeconds * 1_000;
/** A measurement that is this much later than the previous one does not continue it. */
const gapMs = 60_000;

interface Watched extends Pick<Reading, 'rule' | 'key' | 'forSeconds'> {
  /** Epoch milliseconds since when the condition has held without a break; `null` if it does not hold. */
  since: number | null;
  /** The time when it last held. */
  lastAt: number;
  firing: boolean;
  /** The project of its containers; empty for the host itself. */
  projectId: string;
  /** The time of the last reading. */
  readAt: number;
  detail: string;
  /** Times of the counted events. */
  counted: number[];
}

export class AlertWatch {
  readonly #startedAt: number;
  readonly #watched = new Map<string, Watched>();
  #own: readonly OwnRule[] = [];

  /**
   * @param now epoch milliseconds
   * @param firing alerts of the previous process, which end like any other alert
   */
  constructor(now: number, firing: readonly FiringAlert[] = []) {
    this.#startedAt = now;
    for (const { rule, serviceId, detail } of firing) {
      const key = serviceId ?? hostKey;
      const before = { rule, key, detail, since: null, lastAt: now, readAt: now, forSeconds: 0 };
      const known = { firing: true, projectId: serviceId ?? '', counted: [] };
      this.#watched.set(nameOf(before), { ...before, ...known });
    }
  }

  /** Forgets alerts of removed rules and of a rule's previous service: the change of the rule ends them. */
  setRules(own: readonly OwnRule[]): void {
    this.#own = own;
    const named = new Set(
      own.flatMap(({ id, services }) => (services ?? [hostKey]).map((key) => nameOf({ rule: id, key }))),
    );
    for (const [name, { rule }] of this.#watched) {
      if (isOwnRule(rule) && !named.has(name)) this.#watched.delete(name);
    }
  }

  /** @returns the firing alerts; `undefined` while it is too soon to know which alerts have ended */
  take(latest: LatestMetrics): FiringAlert[] | undefined {
    const { at } = latest;
    const projects = new Map(latest.containers.map(({ serviceId, projectId }) => [serviceId, projectId]));
    for (const reading of readingsOf(latest, this.#own))
      this.#takeOne(reading, projects.get(reading.key), at);
    for (const [name, one] of this.#watched) {
      // Events counted over a longer time are not forgotten earlier.
      const keptMs = Math.max(alertClearSeconds, one.firing ? 0 : one.forSeconds) * 1_000;
      if (at - one.lastAt < keptMs && at >= one.lastAt) continue;
      this.#watched.delete(name);
    }
    if (at - this.#startedAt < warmUpMs) return undefined;
    return inTurn([...this.#watched.values()].filter(({ firing }) => firing))
      .slice(0, firingMax)
      .map(({ rule, key, detail }) => ({ rule, serviceId: key === hostKey ? null : key, detail }));
  }

  /** @param projectId `undefined` if the service has no container now */
  #takeOne(reading: Reading, projectId: string | undefined, at: number): void {
    const { rule, key, value, condition, forSeconds, detail } = reading;
    const name = nameOf({ rule, key });
    const isCount = 'countMin' in condition;
    const before = this.#watched.get(name);
    const counted = isCount
      ? [...(before?.counted ?? []), ...new Array<number>(Math.min(value, condition.countMin)).fill(at)]
          .filter((one) => at - one < forSeconds * 1_000)
          .slice(-condition.countMin)
      : [];
    const holds = isCount ? counted.length >= condition.countMin : condition.holds(value);
    if (!holds && !before && counted.length === 0) return;
    const isContinued = before !== undefined && at - before.readAt <= gapMs && at >= before.readAt;
    const since = holds ? ((isContinued ? before.since : null) ?? at) : null;
    const isLong = since !== null && (isCount || at - since >= forSeconds * 1_000);
    this.#watched.set(name, {
      ...{ rule, key, since, counted, forSeconds, readAt: at },
      projectId: projectId ?? before?.projectId ?? '',
      lastAt: holds || (isCount && value > 0) ? at : (before?.lastAt ?? at),
      firing: isLong || (before?.firing ?? false),
      detail: isLong && !before?.firing ? detail(isCount ? counted.length : value) : (before?.detail ?? ''),
    });
  }
}

/** Projects take turns, the host itself first: one with hundreds of alerts must not take the places of the others. */
function inTurn<Alert extends { projectId: string }>(alerts: readonly Alert[]): Alert[] {
  const counts = new Map<string, number>();
  const turns = alerts.map((alert) => {
    const turn = counts.get(alert.projectId) ?? 0;
    counts.set(alert.projectId, turn + 1);
    return { alert, turn: alert.projectId === '' ? -1 : turn };
  });
  return turns.sort((one, other) => one.turn - other.turn).map(({ alert }) => alert);
}

const nameOf = ({ rule, key }: Pick<Reading, 'rule' | 'key'>) => `${rule} ${key}`;
