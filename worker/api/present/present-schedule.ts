/** Schedules of commands and what became of their times, as the API shows them. */
import { z } from 'zod';
import { cronInWords } from '../../domain/schedules/cron-in-words.ts';
import { overlapRules } from '../../domain/schedules/schedules.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { OccurrenceRow, ScheduleRow } from '../../store/commands/schedule-store.ts';
import { presentRun, runSchema } from './present-run.ts';

/** Null: there are no words for a rare form of expression. */
export const inWordsSchema = z
  .string()
  .nullable()
  .describe('The times in English; null for a rare form of expression that has no words.');

export const scheduleSchema = z.strictObject({
  id: z.string(),
  serviceId: z.string(),
  name: z.string(),
  cron: z.string(),
  inWords: inWordsSchema,
  timeZone: z.string(),
  command: z.string(),
  timeLimitSeconds: z.int(),
  overlap: z.enum(overlapRules),
  enabled: z.boolean(),
  /** Null: disabled. */
  nextRunAt: timestampSchema.nullable(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});
export const occurrenceSchema = z.strictObject({
  dueAt: timestampSchema,
  /** Null: it was skipped. */
  run: runSchema.nullable(),
  /** Why it was skipped. */
  reason: z.string().nullable(),
  /** Occurrences before it that nobody was there to start. */
  missed: z.int(),
});
export const listedScheduleSchema = scheduleSchema.extend({
  lastOccurrence: occurrenceSchema
    .nullable()
    .describe('What became of the newest time, also of a start by hand; null: none has come yet.'),
});

export function presentSchedule({
  checkAt: _,
  nextRunAt,
  createdAt,
  updatedAt,
  ...shown
}: ScheduleRow): z.infer<typeof scheduleSchema> {
  return {
    ...shown,
    inWords: cronInWords(shown.cron),
    nextRunAt: timestampOrNull(nextRunAt),
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(updatedAt),
  };
}

export function presentOccurrence({
  dueAt,
  scheduleId,
  run,
  ...shown
}: OccurrenceRow): z.infer<typeof occurrenceSchema> {
  return { ...shown, dueAt: timestamp(dueAt), run: run?.id ? presentRun({ ...run, scheduleId }) : null };
}

/** @param last the newest occurrences of the service's schedules */
export function presentListedSchedule(
  row: ScheduleRow,
  last: readonly OccurrenceRow[],
): z.infer<typeof listedScheduleSchema> {
  const own = last.find(({ scheduleId }) => scheduleId === row.id);
  return { ...presentSchedule(row), lastOccurrence: own ? presentOccurrence(own) : null };
}
