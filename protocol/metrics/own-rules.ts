/** Alert rules that people make: which values they may watch, and how a host gets them. */
import { z } from 'zod';
import { metricSeries, type SeriesName } from './series.ts';

type Unit = (typeof metricSeries)[SeriesName]['unit'] | '%';

/** Shares that hosts derive from what they measure. */
const shares = {
  /** Of the processors that it may use. */
  cpuPercent: { unit: '%', kind: 'level' },
  memoryPercent: { unit: '%', kind: 'level' },
  /** Of requests: those that were answered with 500 and above. */
  errorPercent: { unit: '%', kind: 'level' },
  /** Of a host's disk. */
  diskPercent: { unit: '%', kind: 'level' },
} as const;

const all = { ...metricSeries, ...shares };
export type RuleMetric = keyof typeof all;
export const ruleMetrics: Readonly<Record<RuleMetric, { unit: Unit; kind: string }>> = all;

/** What a rule about services can watch, and one about hosts. */
export const serviceRuleMetrics = (Object.keys(all) as RuleMetric[]).filter(
  (name) => name !== 'diskPercent',
) as [RuleMetric, ...RuleMetric[]];
export const hostRuleMetrics = (Object.keys(all) as RuleMetric[]).filter(
  (name) => name !== 'connections',
) as [RuleMetric, ...RuleMetric[]];

export const comparisons = ['above', 'below'] as const;

/** A host measures every ten seconds. An hour, because a longer view is what metrics are for. */
export const ruleSeconds = { least: 10, most: 3_600 };
/** Of a project, and of the instance. */
export const rulesMax = 50;
/** Of one host: with its services. A control plane does not send more. */
const rulesOfHostMax = 2_000;
const servicesOfRuleMax = 1_000;

export const ownRuleSchema = z.object({
  id: z.string().max(64),
  name: z.string().max(100),
  metric: z.enum(Object.keys(all) as [RuleMetric, ...RuleMetric[]]),
  comparison: z.enum(comparisons),
  threshold: z.number(),
  /** The condition must hold for so long; of counts, so many must happen within this time. */
  forSeconds: z.number().int().positive(),
  /** null: the host itself. */
  services: z.array(z.string().max(64)).max(servicesOfRuleMax).nullable(),
});
export type OwnRule = z.infer<typeof ownRuleSchema>;

/** All rules for one host. */
export const ownRulesSchema = z.array(ownRuleSchema).max(rulesOfHostMax);
