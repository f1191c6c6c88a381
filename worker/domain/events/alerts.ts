/** Alerts: which rules there are, and what each means. Those of hosts are watched there (protocol/metrics/alerts), the others by cron. */
import { hostAlertRuleNames, isOwnRule } from '../../../protocol/metrics/alerts.ts';

const cronAlertRules = ['certificate', 'queue', 'backupAge', 'quotaNear', 'quotaRefused'] as const;

export const alertRules = [...hostAlertRuleNames, ...cronAlertRules] as const;
export type AlertRule = (typeof alertRules)[number];

const dayMs = 86_400_000;
/** When cron raises an alert. */
export const cronThresholds = {
  /** A certificate ends within this time: it is renewed a month before. */
  certificateMs: 7 * dayMs,
  /** One that its owner brought along, who has to replace it. */
  ownCertificateMs: 30 * dayMs,
  /** A job has waited for its connected host for this long. */
  queueMs: 15 * 60_000,
  /** A service with daily, weekly or monthly backups has none that is newer: twice the time, and a day. */
  backupAgeMs: { daily: 2 * dayMs, weekly: 15 * dayMs, monthly: 63 * dayMs },
  /** A quota is nearly used up from this part on, and is so until less than the second is used. */
  quotaNear: { from: 0.8, until: 0.75 },
  /** A quota that refused something is told until it has refused nothing for this long. */
  quotaRefusedMs: dayMs,
} as const;

/** Whether the rule is about a tenant: about no service and no host. */
export const isTenantRule = (rule: string | null): boolean => rule === 'quotaNear' || rule === 'quotaRefused';

const texts: Record<AlertRule, string> = {
  memory: 'its memory is nearly used up',
  restarts: 'it crashes again and again',
  outOfMemory: 'it ran out of memory',
  hostDisk: 'its disk is nearly full',
  hostMemory: 'its memory is nearly used up',
  certificate: 'a certificate ends soon or is not on its host',
  queue: 'a job waits for long',
  backupAge: 'its newest backup is too old',
  quotaNear: 'a quota is nearly used up',
  quotaRefused: 'a quota refuses what is asked for',
};

/** What an alert is about, as a part of a sentence. */
export const alertText = (rule: string | null): string =>
  rule !== null && Object.hasOwn(texts, rule)
    ? texts[rule as AlertRule]
    : rule !== null && isOwnRule(rule)
      ? 'one of your rules applies'
      : 'it needs attention';

const hourMs = 60 * 60_000;
/**
 * A condition that comes and goes is the cause of so many messages within `withinMs`; then one says that it flaps, and one, after `calmMs`
 * without it, that it is over.
 */
export const flapping = { messagesMax: 3, withinMs: hourMs, calmMs: hourMs } as const;

/** What the message says that is the last until the condition has been absent for an hour. @param detail of the alert */
export const flapDetail = (detail: string): string =>
  `It comes and goes: the next message is sent when it has been absent for an hour. ${detail}`;

/** Longest silence. */
export const silenceMsMax = 90 * dayMs;
