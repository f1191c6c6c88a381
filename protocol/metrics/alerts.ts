/** Conditions that need attention: the default rules, and a host's reports about them. */
import { z } from 'zod';
import { idPrefixes, idSchema } from '../ids.ts';

/** Rules that a host evaluates: a value above `above` for `forSeconds`, or for counts, at least `above` of them within that time. */
export const hostAlertRules = {
  /** In percent of the container's limit. */
  memory: { above: 90, forSeconds: 300 },
  /** Unexpected ends of a service's containers: a crash loop. */
  restarts: { above: 3, forSeconds: 600 },
  /** Number of processes that the kernel killed because memory ran out. */
  outOfMemory: { above: 1, forSeconds: 600 },
  /** In percent of the host's disk. */
  hostDisk: { above: 90, forSeconds: 300 },
  /** In percent of the host's memory. */
  hostMemory: { above: 95, forSeconds: 300 },
} as const;
export type HostAlertRule = keyof typeof hostAlertRules;
export const hostAlertRuleNames = Object.keys(hostAlertRules) as [HostAlertRule, ...HostAlertRule[]];

/** Whether the id is that of a rule that a person created. */
export const isOwnRule = (rule: string): boolean => rule.startsWith(`${idPrefixes.alertRule}_`);

/** An alert ends once its condition was absent for this long, so that a value that swings around the threshold causes one alert. */
export const alertClearSeconds = 600;

/** Most alerts of one host. A frame with more is dropped, so that a hostile host can't create more. */
export const firingMax = 500;

export const firingAlertSchema = z.object({
  /** A default rule, or the id of a person's own rule. */
  rule: z.union([z.enum(hostAlertRuleNames), idSchema('alertRule')]),
  /** null: the host itself. */
  serviceId: z.string().max(64).nullable(),
  /** A sentence with the numbers. */
  detail: z.string().max(300),
});
/** All alerts that are open on the host: sent after each connect and on every change. */
export const firingAlertsSchema = z.array(firingAlertSchema).max(firingMax);
export type FiringAlert = z.infer<typeof firingAlertSchema>;
