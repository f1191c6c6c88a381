/** Evaluates the alert rules for one measurement: the rules of every host, and those created by people. */
import { type FiringAlert, type HostAlertRule, hostAlertRules } from '../../protocol/metrics/alerts.ts';
import { type OwnRule, type RuleMetric, ruleMetrics } from '../../protocol/metrics/own-rules.ts';
import { hostKey } from './columns.ts';
import type { MeasuredContainer } from './container-usage.ts';
import type { LatestMetrics } from './take-samples.ts';

export interface Reading {
  rule: FiringAlert['rule'];
  /** The key of a service or the host. */
  key: string;
  value: number;
  /** The values for which the rule holds, or the minimum of a count within the time. */
  condition: { holds(value: number): boolean } | { countMin: number };
  forSeconds: number;
  /** @param value the value, or the number of events within the time */
  detail(value: number): string;
}

/** The readings of one measurement. An unknown value has none. */
export function* readingsOf(latest: LatestMetrics, own: readonly OwnRule[]): Generator<Reading> {
  yield* defaultReadings(latest);
  for (const rule of own) {
    for (const key of rule.services ?? [hostKey]) {
      const value = metricOf(latest, key, rule.metric);
      if (value !== undefined) yield ownReading(rule, key, value, wholeOf(latest, key, rule.metric));
    }
  }
}

const timeText = (seconds: number) =>
  seconds % 60 === 0 ? plural(seconds / 60, 'minute') : `${seconds} seconds`;
const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
const percent = (value: number) => `${Math.floor(value)} %`;
const timeOf = (rule: HostAlertRule) => timeText(hostAlertRules[rule].forSeconds);

function* defaultReadings({ samples, containers, host }: LatestMetrics): Generator<Reading> {
  for (const [key, { values }] of samples) {
    if (key === hostKey) continue;
    const own = containers.filter(({ serviceId }) => serviceId === key);
    const shares = own.map(({ usage }) => share(usage.memory, usage.memoryLimit) ?? 0);
    yield {
      ...level('memory', key, Math.max(0, ...shares)),
      detail: (value) => `It has used ${percent(value)} of its memory limit for ${timeOf('memory')}.`,
    };
    yield {
      ...count('restarts', key, values.restarts ?? 0),
      detail: (value) => `Its container has ended ${value} times or more within ${timeOf('restarts')}.`,
    };
    yield {
      ...count('outOfMemory', key, values.outOfMemory ?? 0),
      detail: () => 'The kernel has killed a process of it because its memory ran out.',
    };
  }
  yield {
    ...level('hostDisk', hostKey, share(host.diskUsed, host.diskLimit) ?? 0),
    detail: (value) => `${percent(value)} of its disk have been in use for ${timeOf('hostDisk')}.`,
  };
  yield {
    ...level('hostMemory', hostKey, share(host.memory, host.memoryLimit) ?? 0),
    detail: (value) => `${percent(value)} of its memory have been in use for ${timeOf('hostMemory')}.`,
  };
}

function level(rule: HostAlertRule, key: string, value: number) {
  const { above, forSeconds } = hostAlertRules[rule];
  return { rule, key, value, forSeconds, condition: { holds: (seen: number) => seen > above } };
}

function count(rule: HostAlertRule, key: string, value: number) {
  const { above, forSeconds } = hostAlertRules[rule];
  return { rule, key, value, forSeconds, condition: { countMin: above } };
}

/** What a person calls the watched value. */
const metricWords: Record<RuleMetric, string> = {
  cpuPercent: 'CPU',
  memoryPercent: 'memory',
  errorPercent: 'error rate',
  diskPercent: 'disk',
  cpu: 'CPU',
  memory: 'memory',
  networkIn: 'network in',
  networkOut: 'network out',
  diskRead: 'disk reads',
  diskWrite: 'disk writes',
  diskUsed: 'disk used',
  requests: 'requests',
  errors: 'failed requests',
  latencyP50: 'median latency',
  latencyP99: 'latency p99',
  connections: 'connections',
  restarts: 'restarts',
  outOfMemory: 'out-of-memory kills',
};

/** @param whole what a percentage is of, after the unit */
function ownReading(rule: OwnRule, key: string, value: number, whole: string): Reading {
  const { id, name, metric, comparison, threshold, forSeconds } = rule;
  const { unit, kind } = ruleMetrics[metric];
  const shared = { rule: id, key, value, forSeconds };
  if (kind === 'count') {
    const countMin = Math.floor(threshold) + 1;
    return {
      ...shared,
      condition: { countMin },
      detail: (seen) =>
        `${name}: ${plural(seen, unit.replace(/s$/, ''))} or more within ${timeText(forSeconds)}.`,
    };
  }
  return {
    ...shared,
    condition: { holds: (seen) => (comparison === 'above' ? seen > threshold : seen < threshold) },
    detail: (seen) =>
      `${name}: ${metricWords[metric]} ${rounded(seen)} ${unit}${whole} (${comparison} ${threshold} ${unit} for ${timeText(forSeconds)}).`,
  };
}

/** Two digits decide; a longer whole number keeps its own. */
const rounded = (value: number) =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(2));

/** @returns `undefined` if it is unknown */
function metricOf(
  { samples, containers, host }: LatestMetrics,
  key: string,
  metric: RuleMetric,
): number | undefined {
  const values = samples.get(key)?.values;
  if (!values) return undefined;
  const own = containers.filter(({ serviceId }) => serviceId === key);
  const isHost = key === hostKey;
  switch (metric) {
    case 'cpuPercent':
      return share(values.cpu, (isHost ? undefined : cpuLimitOf(own)) ?? host.cpuLimit);
    case 'memoryPercent':
      if (isHost) return share(host.memory, host.memoryLimit);
      return highest(own.map(({ usage }) => share(usage.memory, usage.memoryLimit ?? host.memoryLimit)));
    case 'diskPercent':
      return isHost ? share(host.diskUsed, host.diskLimit) : undefined;
    case 'errorPercent':
      return share(values.errors, values.requests);
    default:
      return values[metric] ?? undefined;
  }
}

const share = (used: number | null | undefined, limit: number | null | undefined) =>
  used === undefined || used === null || !limit ? undefined : (used / limit) * 100;

/** The sum of the containers' limits; `undefined` if one of them has none, so that the service may use the whole host. */
function cpuLimitOf(own: readonly MeasuredContainer[]): number | undefined {
  const limits = own.map(({ usage }) => usage.cpuLimit);
  return limits.length === 0 || limits.includes(undefined)
    ? undefined
    : limits.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

/** What the percentage is of, for messages: empty if it is of a limit of the service, or of no limit. */
function wholeOf({ containers }: LatestMetrics, key: string, metric: RuleMetric): string {
  const own = containers.filter(({ serviceId }) => serviceId === key);
  const isOfHost =
    (metric === 'cpuPercent' && cpuLimitOf(own) === undefined) ||
    (metric === 'memoryPercent' && own.some(({ usage }) => usage.memoryLimit === undefined));
  return isOfHost && key !== hostKey ? ' of the host' : '';
}

function highest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
