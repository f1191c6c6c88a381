/** Reads the metrics of a service or a host. They are stored on the host, which is asked each time. */
import {
  type MetricsAnswer,
  metricsAnswerSchema,
  newerSeries,
  type SeriesName,
} from '../../../protocol/metrics/series.ts';
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';
import { ApiError } from '../../domain/errors.ts';
import { type AskedRange, type MetricRange, metricRange } from '../../domain/services/metric-range.ts';
import type { RunnerRow } from '../../store/hosts/runner-store.ts';
import type { Dependencies } from '../dependencies.ts';

export type MetricHost = Pick<RunnerRow, 'id' | 'name' | 'facts' | 'connectedAt' | 'disconnectedAt'>;

export interface AskedMetrics {
  /** `null` for the host itself. */
  serviceId: string | null;
  range: AskedRange;
  series: SeriesName[];
}

/** 30 days of a host with 50 services take some hundredths of a second. */
const answerTimeoutMs = 15_000;

/**
 * @returns the host's answer, with the requested number of points in each series; without series that an older runner does not know
 * @throws ApiError `invalid_request`, `runner_offline`, `timeout`, `unavailable`
 */
export async function readMetrics(
  { hubs, now }: Pick<Dependencies, 'hubs' | 'now'>,
  host: MetricHost,
  { serviceId, range, series: wanted }: AskedMetrics,
): Promise<MetricsAnswer> {
  const series = host.facts.manyMetrics ? wanted : wanted.filter((name) => !newerSeries.includes(name));
  if (series.length === 0)
    throw new ApiError(
      'unavailable',
      `The runner of ${host.name} is too old to measure this: upgrade the host.`,
    );
  const steps = metricRange(range, now());
  const asked = { op: 'metrics', serviceId, series, ...steps } as const;
  const answer = await hubs.request(host.id, asked, answerTimeoutMs).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'runner_offline' ? away(host, now(), error) : error;
  });
  if (!answer.ok) throw new ApiError('unavailable', `The host could not read its metrics: ${answer.message}`);
  const parsed = safeParseUntrusted(metricsAnswerSchema, answer.value);
  if (parsed.success && isAsAsked(parsed.data, series, steps)) return parsed.data;
  throw new ApiError('unavailable', 'The answer of the host was not understood: update its runner.');
}

/** The metrics are stored only on the host, so the error only mentions since when it is disconnected. */
function away({ name, disconnectedAt }: MetricHost, now: number, cause: ApiError): ApiError {
  const since =
    disconnectedAt === null
      ? 'since a moment ago'
      : `since ${new Date(disconnectedAt).toISOString()} (${Math.max(0, Math.round((now - disconnectedAt) / 1_000))} s ago)`;
  return new ApiError(
    'runner_offline',
    `The host "${name}" is not connected ${since}. It keeps its metrics, and measures on if it runs: try again when it is back.`,
    { cause },
  );
}

const isAsAsked = (
  { from, stepSeconds, series }: MetricsAnswer,
  names: readonly SeriesName[],
  asked: MetricRange,
) =>
  from === asked.from &&
  stepSeconds === asked.stepSeconds &&
  series.length === names.length &&
  series.every(
    ({ name, average, maximum }, at) =>
      name === names[at] && average.length === asked.points && maximum.length === asked.points,
  );
