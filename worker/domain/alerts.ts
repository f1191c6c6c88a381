/** Alerts: which rules there are, and what each means. Those of hosts are watched there (protocol/metrics/alerts), the others by cron. */
import { hostAlertRuleNames, isOwnRule } from '../../protocol/metrics/alerts.ts';

const cronAlertRules = ['certificate', 'queue', 'backupAge'] as const;

export const alertRules = [...hostAlertRuleNames, ...cronAlertRules] as const;
export type AlertRule = (typeof alertRules)[number];

const dayMs = 86_400_000;
/** When cron raises an alert. */
export const cronThresholds = {
  /** A certificate ends within this time: it is renewed a month before. */
  certificateMs: 7 * dayMs,
  /** A job has waited for its connected host for this long. */
  queueMs: 15 * 60_000,
  /** A service with daily, weekly or monthly backups has none that is newer: twice the time, and a day. */
  backupAgeMs: { daily: 2 * dayMs, weekly: 15 * dayMs, monthly: 63 * dayMs },
} as const;

const texts: Record<AlertRule, string> = {
  memory: 'its memory is nearly used up',
  restarts: 'it crashes again and again',
  outOfMemory: 'it ran out of memory',
  hostDisk: 'its disk is nearly full',
  hostMemory: 'its memory is nearly used up',
  certificate: 'a certificate ends soon',
  queue: 'a job waits for long',
  backupAge: 'its newest backup is too old',
};

/** What an alert is about, as a part of a sentence. */
export const alertText = (rule: string | null): string =>
  rule !== null && Object.hasOwn(texts, rule)
    ? texts[rule as AlertRule]
    : rule !== null && isOwnRule(rule)
      ? 'one of your rules applies'
      : 'it needs attention';

/** Longest silence. */
export const silenceMsMax = 90 * dayMs;
