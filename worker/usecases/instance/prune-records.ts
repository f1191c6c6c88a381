import { minuteOf } from '../../domain/minute-counts.ts';
import { pruneAuditEntries, pruneFailedSignIns } from '../../store/audit-store.ts';
import { pruneFailedBackups } from '../../store/backup-look-store.ts';
import { pruneEvents } from '../../store/event-delivery-store.ts';
import { pruneWebhookDeliveries } from '../../store/git-webhook-store.ts';
import { pruneHostTasks } from '../../store/host-task-store.ts';
import { pruneIdempotencyKeys } from '../../store/idempotency-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { forgottenAnswersBefore } from './answer-once.ts';
import { readSettings } from './change-settings.ts';

const dayMs = 86_400_000;
/** Of what hosts have done; nobody reads it but who looks for the reason of a fault. */
const hostTaskDays = 7;
/** Twice as long as GitHub delivers again on demand: https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks */
const webhookDeliveryDays = 7;
/** Of what the event webhook was to tell; longer than anything is tried again. */
const eventDays = 7;
/** Of backups that failed. */
const failedBackupDays = 30;
/** Of the audit log, a run: a shorter `auditDays` leaves a long backlog, which goes over some minutes. */
const entriesPerRun = 5_000;

/**
 * Deletes what is older than it is to be kept: audit entries, counts of failed sign-ins, answers to repeated requests, tasks done,
 * which pushes were delivered, events, and backups that failed.
 */
export async function pruneRecords(deps: Pick<Dependencies, 'db' | 'now'>): Promise<void> {
  const { db, now } = deps;
  const { auditDays } = await readSettings(deps);
  const before = now() - auditDays * dayMs;
  await db.batch([
    pruneAuditEntries(db, before, entriesPerRun),
    pruneFailedSignIns(db, minuteOf(before)),
    pruneIdempotencyKeys(db, forgottenAnswersBefore(now())),
    pruneHostTasks(db, now() - hostTaskDays * dayMs),
    pruneFailedBackups(db, now() - failedBackupDays * dayMs, entriesPerRun),
    pruneWebhookDeliveries(db, now() - webhookDeliveryDays * dayMs),
    pruneEvents(db, now() - eventDays * dayMs),
  ]);
}
