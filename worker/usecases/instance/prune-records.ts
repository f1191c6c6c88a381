import { minuteOf } from '../../domain/values/minute-counts.ts';
import { pruneMadeKeys } from '../../store/access/api-key-store.ts';
import { pruneDeviceTokens } from '../../store/access/device-store.ts';
import { pruneUsedSignIns } from '../../store/access/sign-in-store.ts';
import { deleteLostTrustPolicies } from '../../store/access/trust-policy-store.ts';
import { deleteLostAlertRules } from '../../store/alerts/alert-rule-store.ts';
import { pruneAlerts } from '../../store/alerts/alert-store.ts';
import { pruneEvents } from '../../store/alerts/event-delivery-store.ts';
import { deleteChannelsOfLostProjects } from '../../store/alerts/notification-channel-store.ts';
import { dropExcessNotifications } from '../../store/alerts/notification-store.ts';
import { pruneFailedBackups } from '../../store/backups/backup-check-store.ts';
import { pruneHeldNames } from '../../store/domains/name-verification-store.ts';
import { pruneAuditEntries, pruneFailedSignIns } from '../../store/instance/audit-store.ts';
import { pruneIdempotencyKeys } from '../../store/instance/idempotency-store.ts';
import { pruneHostTasks } from '../../store/jobs/host-task-store.ts';
import { deleteLostLogDrains } from '../../store/logs/log-drain-store.ts';
import { deleteTenantDays } from '../../store/projects/tenant-day-store.ts';
import { pruneWebhookDeliveries } from '../../store/sources/git-webhook-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { forgottenAnswersBefore } from './answer-once.ts';
import { readSettings } from './change-settings.ts';

const dayMs = 86_400_000;
/** Host task history, kept only for debugging. */
const hostTaskDays = 7;
/** Twice as long as GitHub lets users redeliver: https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks */
const webhookDeliveryDays = 7;
/** Retention of expired short-lived keys, long enough to look up who had one. */
const shortLivedKeyDays = 7;
/** Retention of tenants' use per day; only today's use matters. */
const tenantDayDays = 7;
/** Maximum number of messages that wait for one notification channel. */
const waitingNotificationsMax = 200;
/** Retention of failed backups. */
const failedBackupDays = 30;
/** Audit entries, events and failed backups deleted per run. After the retention was reduced, a long backlog takes several runs. */
const entriesPerRun = 5_000;

/**
 * Deletes expired records: audit entries, counts of failed sign-ins, responses for repeated requests, finished host tasks, webhook
 * delivery ids, host names that are no longer reserved, notification channels of removed projects, events, short-lived keys, failed backups, and
 * tenants' use on past days.
 */
export async function pruneRecords(deps: Pick<Dependencies, 'db' | 'now'>): Promise<void> {
  const { db, now } = deps;
  const { auditDays, retention } = await readSettings(deps);
  const before = now() - auditDays * dayMs;
  await db.batch([
    pruneAuditEntries(db, before, entriesPerRun),
    pruneFailedSignIns(db, minuteOf(before)),
    pruneIdempotencyKeys(db, forgottenAnswersBefore(now())),
    pruneHostTasks(db, now() - hostTaskDays * dayMs),
    pruneFailedBackups(db, now() - failedBackupDays * dayMs, entriesPerRun),
    pruneWebhookDeliveries(db, now() - webhookDeliveryDays * dayMs),
    pruneHeldNames(db),
    deleteChannelsOfLostProjects(db),
    ...deleteLostAlertRules(db),
    deleteLostLogDrains(db),
    dropExcessNotifications(db, waitingNotificationsMax),
    pruneEvents(db, now() - retention.eventDays * dayMs, entriesPerRun),
    pruneMadeKeys(db, now() - shortLivedKeyDays * dayMs),
    ...deleteLostTrustPolicies(db),
    pruneAlerts(db, now() - retention.eventDays * dayMs, entriesPerRun),
    pruneUsedSignIns(db, now()),
    pruneDeviceTokens(db, now()),
    deleteTenantDays(db, now() - tenantDayDays * dayMs),
  ]);
}
