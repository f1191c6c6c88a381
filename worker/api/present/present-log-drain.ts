/** Log drains as the API shows them. */
import { z } from 'zod';
import { logLevels } from '../../../protocol/logs/log-levels.ts';
import { note } from '../../../protocol/note.ts';
import { drainKinds } from '../../domain/logs/log-drains.ts';
import { exampleId, idOf, notes } from '../../domain/values/field-notes.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { LogDrainRow } from '../../store/logs/log-drain-store.ts';
import type { HostDrainStatus } from '../../usecases/logs/ask-drains.ts';
import type { ChangedDrain } from '../../usecases/logs/change-drains.ts';

export const logDrainSchema = z.strictObject({
  id: idOf('logDrain'),
  projectId: z.string().meta(notes.projectId),
  name: z.string().describe('Name, for people.'),
  kind: z.enum(drainKinds).describe('Kind of receiver.'),
  target: z.string().describe('The receiver, without path and secrets.'),
  level: z
    .enum(logLevels)
    .nullable()
    .describe('Only lines of this level and of more severe ones; null: all lines.'),
  enabled: z.boolean().describe('Whether lines are sent.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});
export const drainsReply = z.strictObject({
  logDrains: z.array(logDrainSchema).describe('The log drains of the project, in order of creation.'),
});
export const drainReply = z.strictObject({
  logDrain: logDrainSchema.describe('The log drain.'),
  signingSecret: z
    .string()
    .nullable()
    .describe(
      'Signs the requests (Standard Webhooks). Shown once, when a drain gets a receiver of the kind `http` or a new secret; otherwise null.',
    )
    .meta({ examples: ['whsec_...'] }),
});

const hostStatusSchema = z.strictObject({
  runnerId: z.string().meta(notes.runnerId),
  sentLines: z.int().describe('Lines that the receiver took, since the host has the drain.'),
  droppedLines: z
    .int()
    .describe('Lines that were dropped because they waited for more than a day, or took too much space.'),
  gaps: z
    .int()
    .describe(
      'How often the host removed lines unsent because it needed the space. Nobody has counted these lines.',
    ),
  lagSeconds: z
    .int()
    .describe('How long the oldest line that is not sent has waited, in seconds; 0: nothing waits.'),
  lastSentAt: timestampSchema.nullable().describe('When lines were last sent; null: never.'),
  lastError: z.string().nullable().describe('Why the last attempt failed; null: it did not.'),
  lastErrorAt: timestampSchema.nullable().describe('When an attempt last failed; null: never.'),
  trouble: z
    .string()
    .nullable()
    .describe('Why nothing is known of this host; the numbers are 0 then. null: it has answered.'),
});
export const drainStatusReply = z.strictObject({
  hosts: z.array(hostStatusSchema).describe('Each host with services of the project sends its own lines.'),
});
export const drainTestReply = z.strictObject({
  result: z.strictObject({
    ok: z.boolean().describe('Whether the line was taken.'),
    detail: z.string().describe('What came of it, as a sentence.'),
    durationMs: z.int().meta(note('Duration in milliseconds.', 12)),
    runnerId: z.string().meta(note('The host that sent it.', exampleId('runner'))),
  }),
});

export function presentLogDrain(row: LogDrainRow): z.infer<typeof logDrainSchema> {
  const { id, projectId, name, kind, target, level, enabled } = row;
  return {
    ...{ id, projectId, name, kind, target, level, enabled },
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}

export const presentChanged = ({ row, signingSecret }: ChangedDrain): z.infer<typeof drainReply> => ({
  logDrain: presentLogDrain(row),
  signingSecret,
});

/** @param now epoch milliseconds */
export function presentHostStatus(
  { host, status, trouble }: HostDrainStatus,
  now: number,
): z.infer<typeof hostStatusSchema> {
  const { waitingSince = null, lastSentAt = null, lastErrorAt = null } = status ?? {};
  return {
    runnerId: host.id,
    sentLines: status?.sentLines ?? 0,
    droppedLines: status?.droppedLines ?? 0,
    gaps: status?.gaps ?? 0,
    lagSeconds: waitingSince === null ? 0 : Math.max(0, Math.round((now - waitingSince) / 1_000)),
    lastSentAt: timestampOrNull(lastSentAt),
    lastError: status?.lastError ?? null,
    lastErrorAt: timestampOrNull(lastErrorAt),
    trouble: trouble ?? (status ? null : 'The host does not have the drain: it is switched off, or new.'),
  };
}
