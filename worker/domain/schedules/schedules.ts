/** Commands that start by themselves: when they are due, and what their settings may be. */
import { Cron } from 'croner';
import { z } from 'zod';
import { commandSchema, timeLimitSchema } from '../jobs/run-state.ts';
import { nameOf } from '../values/name.ts';

/** What happens if the command of the occurrence before has not ended. */
export const overlapRules = ['skip', 'wait'] as const;

export const schedulesPerService = 20;
/** Occurrences of a schedule that are kept, with their commands and logs. */
export const keptOccurrences = 100;
/** Missed occurrences are counted up to here. */
const missedMax = 1_000;

const cronExample = 'such as "0 3 * * *" (every day at 3:00)';

const fields = {
  name: nameOf(64),
  cron: z
    .string()
    .trim()
    .max(200, 'is too long: at most 200 characters')
    .superRefine((text, context) => {
      const problem = problemOf(text);
      if (problem) context.addIssue({ code: 'custom', message: problem });
    }),
  timeZone: z
    .string()
    .max(64, 'is too long: at most 64 characters')
    .refine(isTimeZone, 'must be an IANA time zone, such as "UTC" or "Europe/Berlin"'),
  command: commandSchema,
  timeLimitSeconds: timeLimitSchema,
  overlap: z.enum(overlapRules),
  enabled: z.boolean(),
};

export const newScheduleSchema = z.strictObject({
  ...fields,
  timeZone: fields.timeZone.default('UTC'),
  timeLimitSeconds: fields.timeLimitSeconds.default(3_600),
  overlap: fields.overlap.default('skip'),
  enabled: fields.enabled.default(true),
});
export const schedulePatchSchema = z.strictObject(fields).partial();

/** The times of a schedule that does not exist yet, as a query. */
export const timingSchema = z.strictObject({
  cron: fields.cron,
  timeZone: fields.timeZone.default('UTC'),
});

type Timing = z.output<typeof timingSchema>;

/**
 * The next occurrence. An hour that the clock skips: the occurrence comes at its end. An hour that the clock repeats: a time of the day comes
 * once, an interval (`0 * * * *`) in both.
 * @param after epoch milliseconds @returns epoch milliseconds after it; null: none
 */
export const nextOccurrence = (timing: Timing, after: number): number | null =>
  cronOf(timing.cron, timing.timeZone).nextRun(new Date(after))?.getTime() ?? null;

/** The next occurrences after a time, at most `count`. @returns epoch milliseconds */
export const nextOccurrences = (timing: Timing, after: number, count: number): number[] =>
  cronOf(timing.cron, timing.timeZone)
    .nextRuns(count, new Date(after))
    .map((at) => at.getTime());

/**
 * What is due. Of several occurrences that nobody was there to start, the newest is.
 * @param first the oldest that was not started, at most `now`
 * @returns the newest until `now`, and how many came before it
 */
export function dueOccurrence(timing: Timing, first: number, now: number): { dueAt: number; missed: number } {
  const cron = cronOf(timing.cron, timing.timeZone);
  const until = new Date(now + 1);
  const [newest] = cron.previousRuns(1, until);
  const dueAt = Math.max(first, newest?.getTime() ?? first);
  let missed = 0;
  for (let at = first; at < dueAt && missed < missedMax; missed++) {
    at = cron.nextRun(new Date(at))?.getTime() ?? dueAt;
  }
  return { dueAt, missed };
}

const cronOf = (cron: string, timeZone: string) =>
  new Cron(cron, { mode: '5-part', timezone: timeZone, paused: true });

function problemOf(text: string): string | undefined {
  const parts = text.split(/\s+/);
  if (parts.length !== 5)
    return `must have five fields (minute, hour, day of the month, month, day of the week), ${cronExample}`;
  try {
    return cronOf(text, 'UTC').nextRun(new Date(0)) === null
      ? 'names a day that never comes, such as 30 February: change the day or the month'
      : undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    return `can't be read (${reason}): write it ${cronExample}`;
  }
}

export function isTimeZone(name: string): boolean {
  try {
    // Offsets such as "+01:00" are no time zones: they know no daylight saving.
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
