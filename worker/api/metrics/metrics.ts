/** Metrics of services and, for the operator, of hosts. */

import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import {
  type MetricsAnswer,
  metricSeries,
  type SeriesName,
  seriesNameSchema,
  seriesNames,
} from '../../../protocol/metrics/series.ts';
import { exampleTime, note } from '../../../protocol/note.ts';
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import { absent } from '../../domain/errors.ts';
import { stepSecondsMax } from '../../domain/services/metric-range.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { runnerResource } from '../../http/loaders/operator-loaders.ts';
import { serviceResource } from '../../http/loaders/service-loaders.ts';
import { integerParameter } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import {
  measuredServicesMax,
  measuredServicesStatements,
} from '../../store/hosts/measured-services-store.ts';
import { selectHostOf } from '../../store/hosts/runner-store.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import { readManyMetrics } from '../../usecases/hosts/read-many-metrics.ts';
import { type AskedMetrics, readMetrics } from '../../usecases/hosts/read-metrics.ts';

const moment = z.iso
  .datetime('must be a UTC time such as 2026-01-31T12:00:00Z')
  .transform((text) => Date.parse(text))
  .optional();

const seriesRule = `must be names of series with commas between them: ${seriesNames.join(',')}`;
const chosenSeries = z
  .string()
  .transform((text, context): SeriesName[] => {
    const names = z.array(seriesNameSchema).safeParse([...new Set(text.split(','))]).data;
    if (names) return names;
    context.addIssue({ code: 'custom', message: seriesRule });
    return z.NEVER;
  })
  .optional();

const query = z.strictObject({
  from: moment.describe('Begin, as a UTC time; absent: an hour before `to`.'),
  to: moment.describe('End; absent: now.'),
  step: integerParameter(10, stepSecondsMax)
    .optional()
    .describe(
      'Seconds of each step, a multiple of 10, or of 300 from there on; absent: chosen by the length of the time.',
    ),
  series: chosenSeries.describe(`Names with commas between them, of ${seriesNames.join(', ')}; absent: all.`),
});

const unit = z
  .string()
  .describe(
    'Unit of the values. `restarts` and `kills` are counted in each step; all others are rates or levels.',
  )
  .meta({ examples: ['bytes'] });
const points = z.array(z.number().nullable());
const limit = z.number().nullable();
const metricsSchema = z.strictObject({
  from: timestampSchema.meta(note('Begin of the first step.', exampleTime)),
  to: timestampSchema.meta(note('End of the last step.', '2026-11-23T10:30:00.000Z')),
  stepSeconds: z
    .int()
    .meta(
      note('Length of each step. Point n is for the step that begins at `from` + n × `stepSeconds`.', 10),
    ),
  lastAt: timestampSchema
    .nullable()
    .meta(note('When something was last measured; null: never.', exampleTime)),
  ageSeconds: z.int().nullable().meta(note('How long ago that was; null: never.', 4)),
  limits: z
    .strictObject({
      cpu: limit.meta(note('Processors.', 1.5)),
      memory: limit.meta(note('Bytes of memory.', 536_870_912)),
      disk: limit.describe('Bytes of the disk; null for services.'),
    })
    .describe('What may be used; null: no limit, or not known.'),
  host: z
    .strictObject({
      cpu: z.number().meta(note('Processors.', 4)),
      memory: z.number().meta(note('Bytes of memory.', 8_589_934_592)),
    })
    .describe('What the host has: the most that a service without a limit may use.'),
  series: z
    .array(
      z.strictObject({
        name: seriesNameSchema.meta(note('Name of the series.', 'cpu')),
        unit,
        average: points.meta(
          note('The mean of each step; a count: its sum. null: not known.', [null, 52_428_800]),
        ),
        maximum: points.meta(note('The largest part of each step; null: not known.', [null, 56_623_104])),
      }),
    )
    .describe('The series, in the order of the request.'),
});

const summary =
  'CPU, memory, network, disk, requests with their durations, connections and restarts, in steps: the last hour by default. 10-s values are kept for a day, 5-min values for 30 days.';

const ofService = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/metrics',
  access: 'read',
  summary: `Read the metrics of a service. ${summary}`,
  resource: serviceResource,
  reads: (db, { tokenId, params }) => ({
    hosts: selectHostOf(db, scopedServiceId(db, tokenId, parameter(params, 'serviceId'))),
  }),
  query,
  reply: z.strictObject({ metrics: metricsSchema.meta(notes.metrics) }),
  async handle({ deps, resource: { service }, read: { hosts }, query: asked }) {
    const [host] = hosts;
    // The host's row exists while it has services.
    if (!host) throw absent('host');
    const answer = await readMetrics(deps, host, { serviceId: service.id, ...wantedOf(asked) });
    return { metrics: present(answer, host.facts, deps.now()) };
  },
});

const ofHost = defineRoute({
  method: 'GET',
  path: '/api/system/runners/:runnerId/metrics',
  access: 'operator',
  summary: `Read the metrics of a host. ${summary}`,
  resource: runnerResource,
  query,
  reply: z.strictObject({ metrics: metricsSchema.meta(notes.metrics) }),
  async handle({ deps, resource: { runner }, query: asked }) {
    const answer = await readMetrics(deps, runner, { serviceId: null, ...wantedOf(asked) });
    return { metrics: present(answer, runner.facts, deps.now()) };
  },
});

const namedPoints = z.record(z.string(), points);
const ofServices = defineRoute({
  method: 'GET',
  path: '/api/metrics',
  access: 'read',
  summary:
    'Read the metrics of all services that the key sees, or of those of a project, for spark lines and overviews: requests and errors of the last hour by default, in 60 steps at most.',
  query: z.strictObject({
    projectId: idSchema('project').optional().describe('Only this project; absent: all that the key sees.'),
    ...query.shape,
    series: chosenSeries.describe(
      `Names with commas between them, of ${seriesNames.join(', ')}; absent: requests,errors.`,
    ),
  }),
  reads: (db, { tokenId, query: { projectId } }) => measuredServicesStatements(db, tokenId, projectId),
  reply: z.strictObject({
    from: metricsSchema.shape.from,
    to: metricsSchema.shape.to,
    stepSeconds: metricsSchema.shape.stepSeconds,
    services: z
      .array(
        z.strictObject({
          serviceId: z.string().meta(notes.serviceId),
          values: namedPoints.meta(
            note('The mean of each step, by the name of the series; null: not known.', {
              requests: [2.5, 3],
              errors: [0, 0.1],
            }),
          ),
        }),
      )
      .describe(
        'Services with a value other than zero; the others were idle, or are of a host in `missing`.',
      ),
    missing: z
      .array(
        z.strictObject({
          hostName: z.string().meta(note('Name of the host.', 'fra-1')),
          reason: z.string().meta(note('Why, as a sentence.', 'The host is not connected.')),
          serviceIds: z.array(z.string()).describe('Its services, of which nothing is known now.'),
        }),
      )
      .describe('Hosts that did not answer.'),
    isCut: z.boolean().meta(note(`Whether there are more than ${measuredServicesMax} services.`, false)),
  }),
  async handle({ deps, read, query: { from, to, step, series } }) {
    const chosen: SeriesName[] = series ?? ['requests', 'errors'];
    const services = read.services.slice(0, measuredServicesMax);
    const asked = { range: { from, to, stepSeconds: step }, series: chosen };
    const { steps, services: found, missing } = await readManyMetrics(deps, { ...read, services }, asked);
    return {
      from: timestamp(steps.from),
      to: timestamp(steps.from + steps.points * steps.stepSeconds * 1_000),
      stepSeconds: steps.stepSeconds,
      services: found.map(({ serviceId, values }) => ({
        serviceId,
        values: Object.fromEntries(chosen.map((name, at) => [name, values[at] ?? []])),
      })),
      missing: missing.map(({ host, reason }) => ({
        ...{ hostName: host.name, reason },
        serviceIds: services.filter(({ runnerId }) => runnerId === host.id).map(({ id }) => id),
      })),
      isCut: read.services.length > measuredServicesMax,
    };
  },
});

export const metricRoutes: AnyRoute[] = [ofService, ofServices];
export const hostMetricRoutes: AnyRoute[] = [ofHost];

function wantedOf({ from, to, step, series }: z.output<typeof query>): Omit<AskedMetrics, 'serviceId'> {
  return { range: { from, to, stepSeconds: step }, series: series ?? [...seriesNames] };
}

function present(
  { from, stepSeconds, lastAt, limits, series }: MetricsAnswer,
  { cpus, memoryMb }: RunnerFacts,
  now: number,
) {
  const steps = series[0]?.average.length ?? 0;
  return {
    from: timestamp(from),
    to: timestamp(from + steps * stepSeconds * 1_000),
    stepSeconds,
    lastAt: timestampOrNull(lastAt),
    ageSeconds: lastAt === null ? null : Math.max(0, Math.round((now - lastAt) / 1_000)),
    limits,
    host: { cpu: cpus, memory: memoryMb * 2 ** 20 },
    series: series.map(({ name, average, maximum }) => ({ name, unit: unitOf(name), average, maximum })),
  };
}

const unitOf = (name: SeriesName): string => metricSeries[name].unit;
