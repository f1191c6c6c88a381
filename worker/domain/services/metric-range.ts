/** The time steps of an answer about metrics. */
import { keptMetrics, metricPointsMax } from '../../../protocol/metrics/series.ts';
import { ApiError } from '../errors.ts';

export interface MetricRange {
  /** Epoch milliseconds of the first step, a multiple of the step. */
  from: number;
  stepSeconds: number;
  points: number;
}

export interface AskedRange {
  /** Epoch milliseconds. */
  from?: number | undefined;
  to?: number | undefined;
  stepSeconds?: number | undefined;
}

/** `usual`: without `step`, as many as a chart can show. `most`: more are refused. */
interface PointLimits {
  usual: number;
  most: number;
}
const pointsOfOne: PointLimits = { usual: 360, most: metricPointsMax };
/** For an answer about many services. */
export const pointsOfMany: PointLimits = { usual: 60, most: 180 };

const { fine, coarse } = keptMetrics;
const hour = 3_600;
/** Without `step`: the smallest of these that gives no more points than `PointLimits.usual`. */
const usualSteps = [10, 30, 60, 300, 900, 1_800, hour, 3 * hour, 6 * hour, 24 * hour];
const agoMs = hour * 1_000;
export const stepSecondsMax = 24 * hour;

/**
 * The last hour by default; a time in the future is cut off.
 * @throws ApiError `invalid_request` for a range that is empty or has too many steps, or a step that is not kept
 */
export function metricRange(
  { from, to, stepSeconds }: AskedRange,
  now: number,
  { usual, most }: PointLimits = pointsOfOne,
): MetricRange {
  const end = Math.min(to ?? now, now);
  const start = from ?? end - agoMs;
  if (start >= end) throw refused('"from" must be a time before "to", and before now');
  const smallest =
    start < now - (fine.seconds + fine.stepSeconds) * 1_000 ? coarse.stepSeconds : fine.stepSeconds;
  const step = stepSeconds ?? usualStep((end - start) / 1_000, smallest, usual);
  assertKept(step, smallest);
  const first = Math.floor(start / 1_000 / step) * step * 1_000;
  const points = Math.ceil((end - first) / 1_000 / step);
  if (points > most)
    throw refused(
      `an answer has at most ${most} steps, and these are ${points}: ask for a shorter time or a larger "step"`,
    );
  if (first < 0) throw refused('"from" must not be before 1970');
  return { from: first, stepSeconds: step, points };
}

function usualStep(seconds: number, smallest: number, usual: number): number {
  const fits = usualSteps.find((step) => step >= smallest && seconds / step <= usual);
  return fits ?? stepSecondsMax;
}

function assertKept(step: number, smallest: number): void {
  if (step < smallest)
    throw refused(
      `values of ${fine.stepSeconds} s are kept for a day: give a "step" of ${coarse.stepSeconds} or more, or a later "from"`,
    );
  const unit = step < coarse.stepSeconds ? fine.stepSeconds : coarse.stepSeconds;
  if (step % unit !== 0)
    throw refused(
      `"step" must be a multiple of ${fine.stepSeconds} below ${coarse.stepSeconds}, and of ${coarse.stepSeconds} above`,
    );
}

const refused = (sentence: string) => new ApiError('invalid_request', `Invalid range: ${sentence}.`);
