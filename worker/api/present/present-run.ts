import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { commandContainerSchema, runStates } from '../../domain/jobs/run-state.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { RunRow } from '../../store/commands/run-store.ts';
import { startedBySchema } from './present-initiator.ts';

export const runSchema = z.strictObject({
  id: idOf('run'),
  serviceId: z.string().meta(notes.serviceId),
  scheduleId: z
    .string()
    .nullable()
    .meta(note('The schedule that has started the command; null: a client.', 'sch_4k2m9x7q1z8w5v3n')),
  command: z.string().describe('The command to run.'),
  timeLimitSeconds: z.int().meta(notes.timeLimitSeconds),
  container: commandContainerSchema,
  startedBy: startedBySchema,
  status: z.enum(runStates).meta(notes.state),
  exitCode: z.int().nullable().meta(notes.exitCode),
  error: z.string().nullable().describe('Why it did not succeed.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  startedAt: timestampSchema.nullable().meta(notes.startedAt),
  finishedAt: timestampSchema.nullable().meta(notes.finishedAt),
});
export function presentRun({
  jobId: _,
  createdAt,
  startedAt,
  finishedAt,
  ...shown
}: RunRow): z.infer<typeof runSchema> {
  return {
    ...shown,
    createdAt: timestamp(createdAt),
    startedAt: timestampOrNull(startedAt),
    finishedAt: timestampOrNull(finishedAt),
  };
}
