/** Schedules of commands and the outcome of their occurrences, as the API shows them. */
import { z } from 'zod';
import { exampleTime, note } from '../../../protocol/note.ts';
import { cronInWords } from '../../domain/commands/cron-in-words.ts';
import { overlapRules } from '../../domain/commands/schedules.ts';
import { commandContainerSchema } from '../../domain/jobs/run-state.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { OccurrenceRow, ScheduleRow } from '../../store/commands/schedule-store.ts';
import { presentRun, runSchema } from './present-run.ts';

/** `null` for rare forms of an expression, which have no words. */
export const inWordsSchema = z
  .string()
  .nullable()
  .describe('The times in English; null for a rare form of expression that has no words.');

export const scheduleSchema = z.strictObject({
  id: idOf('schedule'),
  serviceId: z.string().meta(notes.serviceId),
  name: z.string().meta(notes.name),
  cron: z.string().meta(notes.cron),
  inWords: inWordsSchema,
  timeZone: z.string().meta(notes.timeZone),
  command: z.string().describe('The command to run.'),
  timeLimitSeconds: z.int().meta(notes.timeLimitSeconds),
  container: commandContainerSchema,
  overlap: z.enum(overlapRules).meta(notes.overlap),
  enabled: z.boolean().meta(notes.scheduleEnabled),
  nextRunAt: timestampSchema.nullable().meta(note('The next occurrence; null: disabled.', exampleTime)),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});
export const occurrenceSchema = z.strictObject({
  dueAt: timestampSchema.meta(note('When it was due.', exampleTime)),
  run: runSchema.nullable().meta(notes.run),
  reason: z.string().nullable().describe('Why it was skipped.'),
  missed: z
    .int()
    .meta(note('Occurrences before it that were not started, because the control plane was down.', 0)),
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
  startedBy,
  ...shown
}: OccurrenceRow): z.infer<typeof occurrenceSchema> {
  return {
    ...shown,
    dueAt: timestamp(dueAt),
    run: run?.id ? presentRun({ ...run, scheduleId, startedBy }) : null,
  };
}

/** @param last the newest occurrences of the service's schedules */
export function presentListedSchedule(
  row: ScheduleRow,
  last: readonly OccurrenceRow[],
): z.infer<typeof listedScheduleSchema> {
  const own = last.find(({ scheduleId }) => scheduleId === row.id);
  return { ...presentSchedule(row), lastOccurrence: own ? presentOccurrence(own) : null };
}
