import { z } from 'zod';
import { runStates } from '../../domain/jobs/run-state.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { RunRow } from '../../store/commands/run-store.ts';

export const runSchema = z.strictObject({
  id: z.string(),
  serviceId: z.string(),
  /** The schedule that has started it; null: a client. */
  scheduleId: z.string().nullable(),
  command: z.string(),
  timeLimitSeconds: z.int(),
  status: z.enum(runStates),
  /** Null until the command has ended by itself. */
  exitCode: z.int().nullable(),
  /** Why it did not succeed. */
  error: z.string().nullable(),
  createdAt: timestampSchema,
  startedAt: timestampSchema.nullable(),
  finishedAt: timestampSchema.nullable(),
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
