/** The values that a host measures for each service and for itself, and its answers about them. Numbers in the units below; null: not known. */

import { z } from 'zod';
import { note } from '../note.ts';

/**
 * `level`: a value at a moment. `rate`: per second. `count`: how often it happened. `latency`: a percentile of the durations of requests.
 * If a step is longer than the stored values, it has the mean of levels, rates and latencies (these weighted by requests) and the sum of counts.
 */
export type SeriesKind = 'level' | 'rate' | 'count' | 'latency';

/** All series, in the order of an answer. */
export const metricSeries = {
  cpu: { unit: 'cores', kind: 'level' },
  memory: { unit: 'bytes', kind: 'level' },
  networkIn: { unit: 'bytes/s', kind: 'rate' },
  networkOut: { unit: 'bytes/s', kind: 'rate' },
  diskRead: { unit: 'bytes/s', kind: 'rate' },
  diskWrite: { unit: 'bytes/s', kind: 'rate' },
  diskUsed: { unit: 'bytes', kind: 'level' },
  requests: { unit: 'requests/s', kind: 'rate' },
  errors: { unit: 'requests/s', kind: 'rate' },
  status2xx: { unit: 'requests/s', kind: 'rate' },
  status3xx: { unit: 'requests/s', kind: 'rate' },
  status4xx: { unit: 'requests/s', kind: 'rate' },
  latencyP50: { unit: 'ms', kind: 'latency' },
  latencyP95: { unit: 'ms', kind: 'latency' },
  latencyP99: { unit: 'ms', kind: 'latency' },
  connections: { unit: 'connections', kind: 'level' },
  restarts: { unit: 'restarts', kind: 'count' },
  outOfMemory: { unit: 'kills', kind: 'count' },
} as const satisfies Record<string, { unit: string; kind: SeriesKind }>;

export type SeriesName = keyof typeof metricSeries;
export const seriesNames = Object.keys(metricSeries) as [SeriesName, ...SeriesName[]];
export const seriesNameSchema = z.enum(seriesNames);

/** Only runners whose facts have `manyMetrics` know these: an older one would refuse the whole question. */
export const newerSeries: readonly SeriesName[] = ['status2xx', 'status3xx', 'status4xx', 'latencyP95'];

/** How long values are kept, in seconds: fine values for a day, coarse values for 30 days. */
export const keptMetrics = {
  fine: { stepSeconds: 10, seconds: 86_400 },
  coarse: { stepSeconds: 300, seconds: 30 * 86_400 },
} as const;

/** Most points of each series in an answer: more than a screen has pixels. */
export const metricPointsMax = 1_500;

/** The year 2100: later times can't be times of a measurement. */
const momentMax = 4_102_444_800_000;

const values = z.array(z.number().nullable()).max(metricPointsMax);

/** A host's answer. Point `n` is the step that begins at `from + n * stepSeconds`. */
export const metricsAnswerSchema = z.object({
  /** Epoch milliseconds, a multiple of the step. */
  from: z.number().int(),
  stepSeconds: z.number().int(),
  /** Epoch milliseconds of the service's last values; null: there are none. */
  lastAt: z.number().int().min(0).max(momentMax).nullable(),
  /** Its limits at the moment; null: no limit, or not known. */
  limits: z.object({
    cpu: z.number().nullable(),
    memory: z.number().nullable(),
    disk: z.number().nullable(),
  }),
  series: z
    .array(
      z.object({
        name: seriesNameSchema.meta(note('Name of the series.', 'cpu')),
        average: values,
        maximum: values,
      }),
    )
    .max(seriesNames.length),
});
export type MetricsAnswer = z.infer<typeof metricsAnswerSchema>;

/** Most services, and most numbers (services × series × points), of one question about many services. */
export const manyServices = { most: 500, numbersMax: 60_000 };

/**
 * A host's answer about many services. A service without any value but zero is left out: most are idle at most times.
 * `values`: the means of the series, in the order of the question.
 */
export const manyMetricsAnswerSchema = z.object({
  from: z.number().int(),
  stepSeconds: z.number().int(),
  services: z
    .array(z.object({ serviceId: z.string().max(64), values: z.array(values).max(seriesNames.length) }))
    .max(manyServices.most),
});
export type ManyMetricsAnswer = z.infer<typeof manyMetricsAnswerSchema>;
