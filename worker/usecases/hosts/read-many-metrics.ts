/** Reads the metrics of many services. They are stored on the hosts, all of which are asked at once. */
import {
  type ManyMetricsAnswer,
  manyMetricsAnswerSchema,
  manyServices,
  type SeriesName,
} from '../../../protocol/metrics/series.ts';
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';
import { ApiError } from '../../domain/errors.ts';
import {
  type AskedRange,
  type MetricRange,
  metricRange,
  pointsOfMany,
} from '../../domain/services/metric-range.ts';
import type { MeasuredServiceRow, MeasuringHostRow } from '../../store/hosts/measured-services-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** A host that does not answer in time is named in the answer: the others' services are still shown. */
const answerTimeoutMs = 5_000;

export interface ManyMetrics {
  steps: MetricRange;
  /** Services with a value other than zero. `values`: in the order of the series. */
  services: { serviceId: string; values: (number | null)[][] }[];
  /** Hosts that gave no answer, and why, as a sentence. */
  missing: { host: MeasuringHostRow; reason: string }[];
}

/** @throws ApiError `invalid_request` for the range */
export async function readManyMetrics(
  { hubs, now }: Pick<Dependencies, 'hubs' | 'now'>,
  { services, hosts }: { services: readonly MeasuredServiceRow[]; hosts: readonly MeasuringHostRow[] },
  { range, series }: { range: AskedRange; series: SeriesName[] },
): Promise<ManyMetrics> {
  const steps = metricRange(range, now(), pointsOfMany);
  const ofHosts = Map.groupBy(services, ({ runnerId }) => runnerId);
  const most = Math.min(
    manyServices.most,
    Math.floor(manyServices.numbersMax / (series.length * steps.points)),
  );
  const answers = await Promise.all(
    hosts.map(async (host) => {
      const ids = (ofHosts.get(host.id) ?? []).map(({ id }) => id);
      if (!host.facts.manyMetrics)
        return { host, reason: `The runner of ${host.name} is too old: upgrade the host.` };
      try {
        return await Promise.all(chunksOf(ids, most).map((serviceIds) => ask(host, serviceIds)));
      } catch (error) {
        if (error instanceof ApiError) return { host, reason: error.message };
        throw error;
      }
    }),
  );
  const missing = answers.filter((one) => 'reason' in one);
  const found = answers.flatMap((one) => ('reason' in one ? [] : one.flatMap((answer) => answer.services)));
  return { steps, services: found, missing };

  async function ask(host: MeasuringHostRow, serviceIds: string[]): Promise<ManyMetricsAnswer> {
    const asked = { op: 'many-metrics', serviceIds, series, ...steps } as const;
    const answer = await hubs.request(host.id, asked, answerTimeoutMs);
    if (!answer.ok)
      throw new ApiError('unavailable', `${host.name} could not read its metrics: ${answer.message}`);
    const parsed = safeParseUntrusted(manyMetricsAnswerSchema, answer.value);
    if (parsed.success && isAsAsked(parsed.data, asked)) return parsed.data;
    throw new ApiError('unavailable', `The answer of ${host.name} was not understood: upgrade the host.`);
  }
}

/** A host may answer only about its own services, with as many points as were asked for. */
const isAsAsked = (
  { from, stepSeconds, services }: ManyMetricsAnswer,
  asked: MetricRange & { serviceIds: readonly string[]; series: readonly SeriesName[] },
) =>
  from === asked.from &&
  stepSeconds === asked.stepSeconds &&
  services.every(
    ({ serviceId, values }) =>
      asked.serviceIds.includes(serviceId) &&
      values.length === asked.series.length &&
      values.every((points) => points.length === asked.points),
  );

const chunksOf = (ids: readonly string[], most: number): string[][] =>
  Array.from({ length: Math.ceil(ids.length / most) }, (_, at) => ids.slice(at * most, (at + 1) * most));
