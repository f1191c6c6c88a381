/** What a simulated host has measured: curves that depend only on the time, the series and the service, with idle disks and a few failures. */
import type { HostRequestOf } from '../../../protocol/host-request.ts';
import type { ManyMetricsAnswer, MetricsAnswer, SeriesName } from '../../../protocol/metrics/series.ts';

const levels: Partial<Record<SeriesName, number>> = {
  cpu: 0.4,
  memory: 180 * 2 ** 20,
  networkIn: 20_000,
  networkOut: 90_000,
  diskRead: 0,
  diskWrite: 0,
  requests: 40,
  errors: 1.2,
  status2xx: 34,
  status3xx: 2,
  status4xx: 3,
  latencyP50: 8,
  latencyP95: 90,
  latencyP99: 420,
  restarts: 0,
  outOfMemory: 0,
};

function valuesOf(name: SeriesName, key: string, { from, stepSeconds, points }: Asked): (number | null)[] {
  const level = levels[name];
  const phase = [...key].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) + name.length;
  return Array.from({ length: points }, (_, at) => {
    if (level === undefined) return null;
    const minutes = (from / 1_000 + at * stepSeconds) / 60;
    const wave = 1 + 0.4 * Math.sin(minutes / 7 + phase) + 0.15 * Math.sin(minutes * 3 + phase);
    return Number((level * wave * (1 + (phase % 3))).toPrecision(3));
  });
}

type Asked = Pick<HostRequestOf<'metrics'>, 'from' | 'stepSeconds' | 'points'>;

export const simulatedMetrics = (ask: HostRequestOf<'metrics'>): MetricsAnswer => ({
  ...{
    from: ask.from,
    stepSeconds: ask.stepSeconds,
    lastAt: ask.from + ask.points * ask.stepSeconds * 1_000,
  },
  limits: { cpu: null, memory: 512 * 2 ** 20, disk: null },
  series: ask.series.map((name) => {
    const average = valuesOf(name, ask.serviceId ?? 'host', ask);
    return { name, average, maximum: average };
  }),
});

export const simulatedManyMetrics = (ask: HostRequestOf<'many-metrics'>): ManyMetricsAnswer => ({
  ...{ from: ask.from, stepSeconds: ask.stepSeconds },
  services: ask.serviceIds.map((serviceId) => ({
    serviceId,
    values: ask.series.map((name) => valuesOf(name, serviceId, ask)),
  })),
});
