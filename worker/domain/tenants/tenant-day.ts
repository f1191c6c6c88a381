/** Daily limits of a tenant. A day is a day in UTC. */
import { ApiError } from '../errors.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** Name of the quota in the sentence of `buildMinutesUsedUp`. */
export const buildMinutesQuota = 'buildMinutesPerDay';

/** Number of the day since the epoch. */
export const dayOf = (now: number): number => Math.floor(now / dayMs);

/** Whole minutes, rounded up. */
const minutesOf = (ms: number): number => Math.ceil(ms / minuteMs);

/**
 * The reason why no build may start today; undefined if builds may start.
 * @param limit minutes; null without a limit
 * @param usedMs milliseconds that builds took today
 */
export function buildMinutesUsedUp(limit: number | null, usedMs: number): string | undefined {
  if (limit === null || usedMs < limit * minuteMs) return undefined;
  return `The quota "buildMinutesPerDay" allows ${limit} minutes of builds a day, and ${minutesOf(usedMs)} are used: deploy again after midnight UTC, or ask the operator to raise the quota.`;
}

/** @throws ApiError `quota_exceeded` if no minutes are left today */
export function assertBuildMinutes(limit: number | null, usedMs: number): void {
  const refusal = buildMinutesUsedUp(limit, usedMs);
  if (refusal !== undefined) throw new ApiError('quota_exceeded', refusal, { quota: buildMinutesQuota });
}
