/** How long rows are kept: the setting `retention`. Logs have `logDays` (domain/logs/log-retention), the audit log `auditDays`. */
import { z } from 'zod';
import { keptVersions } from './kept-versions.ts';

/** Ten years. */
const daysMax = 3650;
const perServiceMax = 100_000;

const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};

const fields = {
  /** Deployments and commands, their jobs and their logs. What is live, unfinished or can be rolled back to is always kept. */
  deploymentDays: whole(1, daysMax),
  /** The newest deployments of a service, and as many of its newest commands, are kept, however old they are. */
  deploymentsPerService: whole(keptVersions, perServiceMax),
  /** Finished jobs of backups, restores, imports and drills that nothing refers to any more. */
  jobDays: whole(1, daysMax),
  /** Events of the event webhook; at least as long as a delivery is repeated. */
  eventDays: whole(7, daysMax),
};

/** As stored. A field that a stored value lacks has its default. */
export const retentionSchema = z.strictObject({
  deploymentDays: fields.deploymentDays.default(90),
  deploymentsPerService: fields.deploymentsPerService.default(50),
  jobDays: fields.jobDays.default(30),
  eventDays: fields.eventDays.default(30),
});

/** In a request to change some of them. Absent keeps the value. */
export const retentionChangesSchema = z.strictObject(fields).partial();

export type Retention = z.infer<typeof retentionSchema>;
export const defaultRetention: Retention = retentionSchema.parse({});
