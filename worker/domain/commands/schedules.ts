/** Scheduled commands: their due times and their settings. */
import { Cron } from 'croner';
import { z } from 'zod';
import { commandContainerSchema, commandSchema, timeLimitSchema } from '../jobs/run-state.ts';
import { isTimeZone } from '../values/daily-span.ts';
import { notes } from '../values/field-notes.ts';
import { nameOf } from '../values/name.ts';

/** What happens if the command of the previous occurrence has not ended. */
export const overlapRules = ['skip', 'wait'] as const;

export const schedulesPerService = 20;
/** The number of occurrences that a schedule keeps, with their commands and logs. */
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
    })
    .meta(notes.cron),
  timeZone: z
    .string()
    .max(64, 'is too long: at most 64 characters')
    .refine(isTimeZone, 'must be an IANA time zone, such as "UTC" or "Europe/Berlin"')
    .meta(notes.timeZone),
  command: commandSchema.describe('The command to run.'),
  timeLimitSeconds: timeLimitSchema.meta(notes.timeLimitSeconds),
  container: commandContainerSchema,
  overlap: z.enum(overlapRules).meta(notes.overlap),
  enabled: z.boolean().meta(notes.scheduleEnabled),
};

export const newScheduleSchema = z.strictObject({
  ...fields,
  timeZone: fields.timeZone.default('UTC'),
  timeLimitSeconds: fields.timeLimitSeconds.default(3_600),
  container: fields.container.default('new'),
  overlap: fields.overlap.default('skip'),
  enabled: fields.enabled.default(true),
});
export const schedulePatchSchema = z.strictObject(fields).partial();

/** The timing of a schedule that does not exist yet, as a query. */
export const timingSchema = z.strictObject({
  cron: fields.cron,
  timeZone: fields.timeZone.default('UTC'),
});

type Timing = z.output<typeof timingSchema>;

/**
 * The next occurrence. In an hour that the clock skips, the occurrence is at the end of that hour. In an hour that the clock repeats, a time
 * of day occurs once, an interval (`0 * * * *`) twice.
 * @param after epoch milliseconds @returns epoch milliseconds after it; null if there is none
 */
export const nextOccurrence = (timing: Timing, after: number): number | null =>
  cronOf(timing.cron, timing.timeZone).nextRun(new Date(after))?.getTime() ?? null;

/** The next occurrences after a time, at most `count`. @returns epoch milliseconds */
export const nextOccurrences = (timing: Timing, after: number, count: number): number[] =>
  cronOf(timing.cron, timing.timeZone)
    .nextRuns(count, new Date(after))
    .map((at) => at.getTime());

/**
 * The occurrence that is due: the newest, if several were missed during an outage.
 * @param first the oldest that was not started, at most `now`
 * @returns the newest until `now`, and the number of those before it
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
