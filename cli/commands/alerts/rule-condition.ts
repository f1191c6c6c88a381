/** The condition of an alert rule: printed, and parsed from the command line. */
import type { ReplyOf } from '../../../client/client.ts';

type Rule = ReplyOf<'GET /api/projects/:projectId/alert-rules'>['rules'][number];
export type Comparison = Rule['comparison'];

/** The condition as a part of a sentence. */
export const conditionOf = ({ metric, comparison, threshold, unit, forSeconds }: Rule) =>
  `${metric} ${comparison} ${threshold}${unit === 'count' ? '' : ` ${unit}`} for ${forSeconds} s`;

export const comparisons: readonly Comparison[] = ['above', 'below'];

/** @throws Error that the framework reports as a usage error */
export function comparisonOf(input: string): Comparison {
  const found = comparisons.find((one) => one === input);
  if (found === undefined) throw new Error(`"${input}" is neither above nor below`);
  return found;
}

/** @throws Error that the framework reports as a usage error */
export function thresholdOf(input: string): number {
  if (!/^\d{1,15}(\.\d{1,9})?$/.test(input)) throw new Error(`"${input}" is not a number`);
  return Number(input);
}
