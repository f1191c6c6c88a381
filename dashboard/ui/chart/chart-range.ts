/** The time that charts show, as it is in the address: the last hours, or a time of its own. Pure. */

export const rangeMs = {
  minutes: 900_000,
  hour: 3_600_000,
  hours: 6 * 3_600_000,
  day: 24 * 3_600_000,
  week: 7 * 24 * 3_600_000,
  month: 30 * 24 * 3_600_000,
} as const;
export type RangeName = keyof typeof rangeMs;

/** Up to now, or from one moment to another, in epoch milliseconds. */
export type Range = { last: RangeName } | { from: number; to: number };

export interface RangeParameters extends Record<string, string | undefined> {
  range?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** The shortest part of the time that a drag chooses: three measurements. */
export const shortestMs = 30_000;
const fineMs = 24 * 3_600_000;

/** @returns the last hour for an address without a time, or with one that is none */
export function rangeOf({ range, from = '', to = '' }: RangeParameters): Range {
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  if (end - begin >= shortestMs) return { from: begin, to: end };
  return { last: range !== undefined && Object.hasOwn(rangeMs, range) ? (range as RangeName) : 'hour' };
}

export const parametersOf = (range: Range): RangeParameters =>
  'last' in range
    ? { range: range.last === 'hour' ? undefined : range.last, from: undefined, to: undefined }
    : { range: undefined, from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() };

/**
 * The query of a request, in whole steps that hosts store: of 10 s for a day, of 5 min before.
 * @param pointsMax about one for two pixels
 */
export function periodOf(range: Range, nowMs: number, pointsMax: number) {
  const to = 'last' in range ? nowMs : Math.min(range.to, nowMs);
  const from = 'last' in range ? nowMs - rangeMs[range.last] : Math.min(range.from, to - shortestMs);
  const unit = nowMs - from < fineMs ? 10 : 300;
  const wanted = (to - from) / 1_000 / pointsMax;
  const fine = [10, 20, 30, 60, 120].find((step) => step >= wanted);
  const step = unit === 10 && fine !== undefined ? fine : Math.max(300, Math.ceil(wanted / 300) * 300);
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), step };
}

const minuteMs = 60_000;
const tickSteps = [1, 5, 15, 30, 60, 180, 360, 720, 1_440, 2 * 1_440, 5 * 1_440, 7 * 1_440].map(
  (minutes) => minutes * minuteMs,
);
const ticksMax = 5;

/** Round times within a period, at most five. @param zoneMs what the time zone is ahead of UTC */
export function timeTicks(from: number, to: number, zoneMs: number): number[] {
  const step = tickSteps.find((one) => (to - from) / one <= ticksMax) ?? to - from;
  const first = Math.ceil((from + zoneMs) / step) * step - zoneMs;
  const ticks: number[] = [];
  for (let at = first; at <= to && ticks.length <= ticksMax; at += step) ticks.push(at);
  return ticks;
}
