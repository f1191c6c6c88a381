/** Decides from each measurement which alerts hold on this host. Pure: samples in, alerts out. */
import {
  alertClearSeconds,
  type FiringAlert,
  firingMax,
  type HostAlertRule,
  hostAlertRules,
} from '../../protocol/metrics/alerts.ts';
import { hostKey } from './columns.ts';
import type { LatestMetrics } from './take-samples.ts';

/** After the start nothing is known of the time before: until then no alert ends, and none begins. */
const warmUpMs = alertClearSeconds * 1_000;
/** A measurement that comes this much later than the one before does not continue it. */
const gapMs = 60_000;

interface Watched {
  /** Epoch milliseconds since when the condition has held without a break; null: it does not hold. */
  since: number | null;
  /** When it last held. */
  lastAt: number;
  firing: boolean;
  /** The project of its containers; empty: the host's own. */
  projectId: string;
  /** When it was last looked at. */
  readAt: number;
  detail: string;
  /** Times of what a count counts. */
  counted: number[];
}

interface Reading {
  rule: HostAlertRule;
  key: string;
  /** Undefined: it has no container now. */
  projectId?: string | undefined;
  /** A percentage, or how many there were in this step. */
  value: number;
  detail: (value: number) => string;
}

export class AlertWatch {
  readonly #startedAt: number;
  readonly #watched = new Map<string, Watched & { rule: HostAlertRule; key: string }>();

  /** @param now epoch milliseconds */
  constructor(now: number) {
    this.#startedAt = now;
  }

  /** @returns the alerts that hold; undefined while it is too soon to tell which do not */
  take(latest: LatestMetrics): FiringAlert[] | undefined {
    const { at } = latest;
    for (const reading of readingsOf(latest)) this.#takeOne(reading, at);
    for (const [name, one] of this.#watched) {
      if (at - one.lastAt < alertClearSeconds * 1_000 && at >= one.lastAt) continue;
      this.#watched.delete(name);
    }
    if (at - this.#startedAt < warmUpMs) return undefined;
    return inTurn([...this.#watched.values()].filter(({ firing }) => firing))
      .slice(0, firingMax)
      .map(({ rule, key, detail }) => ({ rule, serviceId: key === hostKey ? null : key, detail }));
  }

  #takeOne({ rule, key, projectId, value, detail }: Reading, at: number): void {
    const { above, forSeconds } = hostAlertRules[rule];
    const name = `${rule} ${key}`;
    const isCount = rule === 'restarts' || rule === 'outOfMemory';
    const before = this.#watched.get(name);
    const counted = isCount
      ? [...(before?.counted ?? []), ...new Array<number>(Math.min(value, above)).fill(at)].filter(
          (one) => at - one < forSeconds * 1_000,
        )
      : [];
    const holds = isCount ? counted.length >= above : value > above;
    if (!holds && !before && counted.length === 0) return;
    const isContinued = before !== undefined && at - before.readAt <= gapMs && at >= before.readAt;
    const since = holds ? ((isContinued ? before.since : null) ?? at) : null;
    const isLong = since !== null && (isCount || at - since >= forSeconds * 1_000);
    this.#watched.set(name, {
      ...{ rule, key, since, counted, readAt: at },
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

const percent = (value: number) => `${Math.floor(value)} %`;
const minutes = (rule: HostAlertRule) => `${hostAlertRules[rule].forSeconds / 60} minutes`;

function* readingsOf({ samples, containers, host }: LatestMetrics): Generator<Reading> {
  for (const [key, { values }] of samples) {
    if (key === hostKey) continue;
    const own = containers.filter(({ serviceId }) => serviceId === key);
    const projectId = own[0]?.projectId;
    const shares = own.map(({ usage }) => share(usage.memory, usage.memoryLimit));
    yield {
      ...{ rule: 'memory', key, projectId, value: Math.max(0, ...shares) },
      detail: (value) => `It has used ${percent(value)} of its memory limit for ${minutes('memory')}.`,
    };
    yield {
      ...{ rule: 'restarts', key, projectId, value: values.restarts ?? 0 },
      detail: (value) => `Its container has ended ${value} times or more within ${minutes('restarts')}.`,
    };
    yield {
      ...{ rule: 'outOfMemory', key, projectId, value: values.outOfMemory ?? 0 },
      detail: () => 'The kernel has killed a process of it because its memory ran out.',
    };
  }
  yield {
    ...{ rule: 'hostDisk', key: hostKey, value: share(host.diskUsed, host.diskLimit) },
    detail: (value) => `${percent(value)} of its disk have been in use for ${minutes('hostDisk')}.`,
  };
  yield {
    ...{ rule: 'hostMemory', key: hostKey, value: share(host.memory, host.memoryLimit) },
    detail: (value) => `${percent(value)} of its memory have been in use for ${minutes('hostMemory')}.`,
  };
}

const share = (used: number | undefined, limit: number | undefined) =>
  used === undefined || !limit ? 0 : (used / limit) * 100;
