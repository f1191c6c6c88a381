/** Alerts: the rules and their meanings. Hosts check their own rules (protocol/metrics/alerts), cron checks the others. */
import { hostAlertRuleNames, isOwnRule } from '../../../protocol/metrics/alerts.ts';

const cronAlertRules = [
  'certificate',
  'queue',
  'backupAge',
  'quotaNear',
  'quotaRefused',
  'hostAway',
] as const;

export const alertRules = [...hostAlertRuleNames, ...cronAlertRules] as const;
export type AlertRule = (typeof alertRules)[number];

const dayMs = 86_400_000;
/** The conditions under which cron raises an alert. */
export const cronThresholds = {
  /** A certificate ends within this time. Certificates are renewed a month before their end. */
  certificateMs: 7 * dayMs,
  /** A certificate from the domain's owner ends within this time; the owner has to replace it. */
  ownCertificateMs: 30 * dayMs,
  /** A job of a connected host has waited for this long. */
  queueMs: 15 * 60_000,
  /** The newest daily, weekly or monthly backup is older than this: twice the period, and a day. */
  backupAgeMs: { daily: 2 * dayMs, weekly: 15 * dayMs, monthly: 63 * dayMs },
  /** A quota is nearly used up at the first share, and no longer below the second. */
  quotaNear: { from: 0.8, until: 0.75 },
  /** The alert of an exhausted quota lasts until nothing was refused for this long. */
  quotaRefusedMs: dayMs,
  /** A host is disconnected for this long. One that restarts or loses its connection for a moment is back by then. */
  hostAwayMs: 5 * 60_000,
} as const;

/** Whether the rule is about a tenant, so about no service and no host. */
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
  hostAway: 'it is not connected',
};

/** The subject of an alert, as a part of a sentence. */
export const alertText = (rule: string | null): string =>
  rule !== null && Object.hasOwn(texts, rule)
    ? texts[rule as AlertRule]
    : rule !== null && isOwnRule(rule)
      ? 'one of your rules applies'
      : 'it needs attention';

const hourMs = 60 * 60_000;
/**
 * Limits for a flapping condition: after `messagesMax` messages within `withinMs`, one more message says that it flaps, and another that
 * it is over, after `calmMs` without the condition.
 */
export const flapping = { messagesMax: 3, withinMs: hourMs, calmMs: hourMs } as const;

/** The text of the last message until the condition has been absent for an hour. @param detail of the alert */
export const flapDetail = (detail: string): string =>
  `It comes and goes: the next message is sent when it has been absent for an hour. ${detail}`;

/** Longest silence. */
export const silenceMsMax = 90 * dayMs;
