/** Alert rules that people create: the values that they may watch, and the form in which a host gets them. */
import { z } from 'zod';
import { metricSeries, type SeriesName } from './series.ts';

type Unit = (typeof metricSeries)[SeriesName]['unit'] | '%';

/** Percentages that hosts calculate from measured values. */
const shares = {
  /** Percent of the processors that the service may use: of its limit, or without one, of those of the host. */
  cpuPercent: { unit: '%', kind: 'level' },
  /** The same of its memory. */
  memoryPercent: { unit: '%', kind: 'level' },
  /** Percent of the requests that were answered with 500 and above. */
  errorPercent: { unit: '%', kind: 'level' },
  /** Percent of the host's disk. */
  diskPercent: { unit: '%', kind: 'level' },
} as const;

/** Not watched: an older runner would drop all its rules for a metric that it does not know. */
const { status2xx: _2xx, status3xx: _3xx, status4xx: _4xx, latencyP95: _p95, ...watched } = metricSeries;
const all = { ...watched, ...shares };
export type RuleMetric = keyof typeof all;
export const ruleMetrics: Readonly<Record<RuleMetric, { unit: Unit; kind: string }>> = all;

/** The metrics for rules about services, and those for rules about hosts. */
export const serviceRuleMetrics = (Object.keys(all) as RuleMetric[]).filter(
  (name) => name !== 'diskPercent',
) as [RuleMetric, ...RuleMetric[]];
export const hostRuleMetrics = (Object.keys(all) as RuleMetric[]).filter(
  (name) => name !== 'connections',
) as [RuleMetric, ...RuleMetric[]];

export const comparisons = ['above', 'below'] as const;

/** At least ten seconds, because a host measures this often. At most an hour, because metrics are made for longer views. */
export const ruleSeconds = { least: 10, most: 3_600 };
/** Most rules of a project, and of the instance. */
export const rulesMax = 50;
/** Most rules of one host with its services. A control plane does not send more. */
const rulesOfHostMax = 2_000;
const servicesOfRuleMax = 1_000;

export const ownRuleSchema = z.object({
  id: z.string().max(64),
  name: z.string().max(100),
  metric: z.enum(Object.keys(all) as [RuleMetric, ...RuleMetric[]]),
  comparison: z.enum(comparisons),
  threshold: z.number(),
  /** The condition must hold for so long; counts are added up over this time. */
  forSeconds: z.number().int().positive(),
  /** null: the host itself. */
  services: z.array(z.string().max(64)).max(servicesOfRuleMax).nullable(),
});
export type OwnRule = z.infer<typeof ownRuleSchema>;

/** All rules for one host. */
export const ownRulesSchema = z.array(ownRuleSchema).max(rulesOfHostMax);
