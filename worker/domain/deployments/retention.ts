/** The retention of rows: the setting `retention`. Logs have `logDays` (domain/logs/log-retention), the audit log `auditDays`. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { keptVersions } from './kept-versions.ts';

/** Ten years. */
const daysMax = 3650;
const perServiceMax = 100_000;

const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};

const fields = {
  /** Deployments and commands, their jobs and their logs. Live and unfinished ones, and those available for a rollback, are always kept. */
  deploymentDays: whole(1, daysMax).meta(note('Days for which deployments and commands are kept.', 90)),
  /** The newest deployments of a service, and the same number of its newest commands, are kept at any age. */
  deploymentsPerService: whole(keptVersions, perServiceMax).meta(
    note(
      'The newest deployments, and as many of the newest commands, of each service that are kept longer.',
      50,
    ),
  ),
  jobDays: whole(1, daysMax).meta(
    note(
      'Days for which finished jobs of backups, restores, imports and drills are kept once nothing refers to them.',
      30,
    ),
  ),
  /** Events of the event webhook; kept at least as long as delivery is retried. */
  eventDays: whole(7, daysMax).meta(note('Days for which events are kept.', 30)),
};

/** The stored form. A field that is absent there has its default. */
export const retentionSchema = z.strictObject({
  deploymentDays: fields.deploymentDays.default(90),
  deploymentsPerService: fields.deploymentsPerService.default(50),
  jobDays: fields.jobDays.default(30),
  eventDays: fields.eventDays.default(30),
});

/** The form of a request. Absent fields do not change. */
export const retentionChangesSchema = z.strictObject(fields).partial();

export type Retention = z.infer<typeof retentionSchema>;
export const defaultRetention: Retention = retentionSchema.parse({});
