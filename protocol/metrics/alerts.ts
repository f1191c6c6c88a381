/** Conditions that need somebody's attention: which there are, and how a host reports those that it sees. */
import { z } from 'zod';
import { idPrefixes, idSchema } from '../ids.ts';

/** What a host watches: a value above `above` for `forSeconds`, or for counts, at least `above` of them within that time. */
export const hostAlertRules = {
  /** Percent of the container's limit. */
  memory: { above: 90, forSeconds: 300 },
  /** Unexpected ends of a service's containers: a crash loop. */
  restarts: { above: 3, forSeconds: 600 },
  /** Processes that the kernel killed because memory ran out. */
  outOfMemory: { above: 1, forSeconds: 600 },
  /** Percent of the host's disk. */
  hostDisk: { above: 90, forSeconds: 300 },
  /** Percent of the host's memory. */
  hostMemory: { above: 95, forSeconds: 300 },
} as const;
export type HostAlertRule = keyof typeof hostAlertRules;
export const hostAlertRuleNames = Object.keys(hostAlertRules) as [HostAlertRule, ...HostAlertRule[]];

/** Whether it is the id of a rule that somebody made. */
export const isOwnRule = (rule: string): boolean => rule.startsWith(`${idPrefixes.alertRule}_`);

/** An alert ends once its condition was absent for this long: a value that swings around the threshold is one alert. */
export const alertClearSeconds = 600;

/** Of one host, which reports no more; a frame with more is dropped, so that a hostile host can't make more. */
export const firingMax = 500;

export const firingAlertSchema = z.object({
  /** Or the id of a rule that somebody made. */
  rule: z.union([z.enum(hostAlertRuleNames), idSchema('alertRule')]),
  /** null: the host itself. */
  serviceId: z.string().max(64).nullable(),
  /** A sentence with the numbers. */
  detail: z.string().max(300),
});
/** All alerts that hold on the host: sent after each connect and on every change. */
export const firingAlertsSchema = z.array(firingAlertSchema).max(firingMax);
export type FiringAlert = z.infer<typeof firingAlertSchema>;
