/** Limits of alert rules that users create. */
import { z } from 'zod';
import {
  comparisons,
  hostRuleMetrics,
  type RuleMetric,
  ruleMetrics,
  ruleSeconds,
  serviceRuleMetrics,
} from '../../../protocol/metrics/own-rules.ts';
import { ApiError } from '../errors.ts';
import { isRouted, isStaticSite } from '../services/service-kind.ts';

const nameMax = 60;
/** The highest threshold: bytes, requests or milliseconds. */
const thresholdMax = 1e15;
/** The highest count: a host stores the time of each occurrence. */
const countMax = 1_000;

const name = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(nameMax, `must have at most ${nameMax} characters`)
  .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'must not contain control characters')
  .describe('Name, for people. It is part of the messages.')
  .meta({ examples: ['Busy web'] });
const secondsRule = `must be a whole number from ${ruleSeconds.least} to ${ruleSeconds.most}`;

const shared = {
  name,
  comparison: z.enum(comparisons).describe('Whether values above or below the threshold are alarming.'),
  threshold: z
    .number()
    .min(0, 'must be 0 or more')
    .max(thresholdMax, 'is too large')
    .describe('In the unit of the metric; of a count, more than so many within the time.')
    .meta({ examples: [80] }),
  forSeconds: z
    .int(secondsRule)
    .min(ruleSeconds.least, secondsRule)
    .max(ruleSeconds.most, secondsRule)
    .describe('For how long without a break, in seconds; of a count, the time within which it is counted.')
    .meta({ examples: [300] }),
  enabled: z.boolean().describe('Whether it is watched.'),
};
const ofServices = z.enum(serviceRuleMetrics).describe('What is watched, of each service by itself.');
const ofHosts = z.enum(hostRuleMetrics).describe('What is watched, of each host by itself.');

const defaults = {
  comparison: shared.comparison.default('above'),
  forSeconds: shared.forSeconds.default(300),
  enabled: shared.enabled.default(true),
};
export const newRuleSchema = z.strictObject({ ...shared, metric: ofServices, ...defaults });
export const newHostRuleSchema = z.strictObject({ ...shared, metric: ofHosts, ...defaults });

const notEmpty = (body: object) => Object.values(body).some((value) => value !== undefined);
const emptyMessage = 'is empty: give at least one field';
export const rulePatchSchema = z
  .strictObject({ ...shared, metric: ofServices })
  .partial()
  .refine(notEmpty, emptyMessage);
export const hostRulePatchSchema = z
  .strictObject({ ...shared, metric: ofHosts })
  .partial()
  .refine(notEmpty, emptyMessage);

/** Measured by the proxy, for services with a route. */
const ofRequests: readonly RuleMetric[] = ['requests', 'errors', 'errorPercent', 'latencyP50', 'latencyP99'];

/** @throws ApiError `invalid_request` for a metric that a service of this kind never has: the rule could never raise an alert */
export function assertMeasured(
  metric: RuleMetric,
  service: Parameters<typeof isRouted>[0] & Parameters<typeof isStaticSite>[0] & { name: string },
): void {
  const refused = (reason: string) =>
    new ApiError(
      'invalid_request',
      `The field "metric" must not be "${metric}" for ${service.name}: ${reason}, so the rule would never raise an alert.`,
    );
  if (ofRequests.includes(metric)) {
    if (!isRouted(service))
      throw refused(
        `${service.kind === 'database' ? 'a database' : 'a worker'} gets no requests from the proxy`,
      );
  } else if (isStaticSite(service)) throw refused('a static site has no container, only requests');
  else if (metric === 'connections' && service.kind !== 'database')
    throw refused('only connections to databases are counted');
}

export interface RuleCondition {
  metric: RuleMetric;
  comparison: (typeof comparisons)[number];
  threshold: number;
}

/** @throws ApiError `invalid_request` for fields that contradict each other */
export function assertCondition({ metric, comparison, threshold }: RuleCondition): void {
  const { kind, unit } = ruleMetrics[metric];
  if (kind === 'count' && comparison === 'below')
    throw new ApiError(
      'invalid_request',
      `The field "comparison" must be "above" for "${metric}", which is a count.`,
    );
  if (kind === 'count' && !(Number.isInteger(threshold) && threshold <= countMax))
    throw new ApiError(
      'invalid_request',
      `The field "threshold" must be a whole number up to ${countMax} for "${metric}", which is a count.`,
    );
  if (unit === '%' && threshold > 100)
    throw new ApiError('invalid_request', `The field "threshold" must be at most 100 for "${metric}".`);
}
