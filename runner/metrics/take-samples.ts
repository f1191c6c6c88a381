/** Computes the values of a step from the measurements: those of a service are the sum over its containers. */
import { hostKey } from './columns.ts';
import type { MeasuredContainer } from './container-usage.ts';
import type { CounterRates } from './counter-rates.ts';
import type { Values } from './fields.ts';
import type { HostUsage } from './host-usage.ts';
import type { Sample } from './metric-store.ts';
import { type CountedRequests, noRequests, type RequestCounts } from './request-log.ts';

export interface Measured {
  containers: readonly MeasuredContainer[];
  requests: CountedRequests;
  host: HostUsage;
  /** Disk use of a container and its volumes in bytes; `undefined` if it was not measured. */
  diskUsed: (containerId: string) => number | undefined;
  /** Services with a route, also those without a container. */
  routed: ReadonlySet<string>;
}

export interface LatestMetrics {
  /** Epoch milliseconds. */
  at: number;
  samples: ReadonlyMap<string, Sample>;
  containers: readonly MeasuredContainer[];
  host: HostUsage;
}

/** @param time in epoch milliseconds: the current time, and the start of counting the requests */
export function takeSamples(
  { containers, requests, host, diskUsed, routed }: Measured,
  rates: CounterRates,
  { at, since }: { at: number; since: number },
): Map<string, Sample> {
  const stepSeconds = Math.max(1, at - since) / 1000;
  const values = new Map<string, Values>();
  for (const container of containers) {
    const sum = values.get(container.serviceId) ?? {};
    addTo(sum, containerValues(container, rates, at, diskUsed(container.id)));
    values.set(container.serviceId, sum);
  }
  const all = noRequests();
  for (const serviceId of routed) {
    const counted = requests.get(serviceId);
    values.set(serviceId, { ...values.get(serviceId), ...requestValues(counted, stepSeconds) });
    if (!counted) continue;
    all.durations.addAll(counted.durations);
    for (const name of ['errors', 'status2xx', 'status3xx', 'status4xx'] as const) all[name] += counted[name];
  }
  values.set(hostKey, {
    ...hostValues(host, rates, at),
    ...requestValues(all, stepSeconds),
    ...ends(values),
  });
  rates.end(at);
  return new Map(
    [...values].map(([key, own]) => {
      const durations = key === hostKey ? all.durations : requests.get(key)?.durations;
      return [key, durations ? { values: own, durations } : { values: own }];
    }),
  );
}

function containerValues(
  { id, startedAt, usage, connections, exits }: MeasuredContainer,
  rates: CounterRates,
  at: number,
  diskUsed: number | undefined,
): Values {
  const rate = (name: string, value: number | undefined) =>
    rates.perSecond(`${id} ${startedAt} ${name}`, value, at) ?? null;
  const killed = exits.filter(({ outOfMemory }) => outOfMemory).length;
  return {
    cpu: rate('cpu', usage.cpuSeconds),
    memory: usage.memory ?? null,
    networkIn: rate('in', usage.received),
    networkOut: rate('out', usage.sent),
    diskRead: rate('read', usage.diskRead),
    diskWrite: rate('write', usage.diskWrite),
    diskUsed: diskUsed ?? null,
    connections: connections ?? null,
    restarts: exits.length,
    // The kernel may kill a child process and not the main process, which ends no container.
    outOfMemory: Math.max(killed, rates.rise(`${id} ${startedAt} oom`, usage.outOfMemory) ?? 0),
  };
}

function hostValues(host: HostUsage, rates: CounterRates, at: number): Values {
  const rate = (name: 'cpuSeconds' | 'received' | 'sent' | 'diskRead' | 'diskWrite') =>
    rates.perSecond(`host ${name}`, host[name], at) ?? null;
  return {
    cpu: rate('cpuSeconds'),
    memory: host.memory ?? null,
    networkIn: rate('received'),
    networkOut: rate('sent'),
    diskRead: rate('diskRead'),
    diskWrite: rate('diskWrite'),
    diskUsed: host.diskUsed ?? null,
  };
}

function requestValues(counted: RequestCounts | undefined, stepSeconds: number): Values {
  return {
    requests: (counted?.durations.total ?? 0) / stepSeconds,
    errors: (counted?.errors ?? 0) / stepSeconds,
    status2xx: (counted?.status2xx ?? 0) / stepSeconds,
    status3xx: (counted?.status3xx ?? 0) / stepSeconds,
    status4xx: (counted?.status4xx ?? 0) / stepSeconds,
    latencyP50: counted?.durations.percentile(0.5) ?? null,
    latencyP95: counted?.durations.percentile(0.95) ?? null,
    latencyP99: counted?.durations.percentile(0.99) ?? null,
  };
}

function ends(values: ReadonlyMap<string, Values>): Values {
  const sum = { restarts: 0, outOfMemory: 0 };
  for (const { restarts, outOfMemory } of values.values()) {
    sum.restarts += restarts ?? 0;
    sum.outOfMemory += outOfMemory ?? 0;
  }
  return sum;
}

function addTo(sum: Values, more: Values): void {
  for (const [name, value] of Object.entries(more) as [keyof Values, number | null][]) {
    const known = sum[name];
    sum[name] = value === null ? (known ?? null) : (known ?? 0) + value;
  }
}
