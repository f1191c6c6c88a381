/**
 * The restore drills of one database or of a service's volumes, as part of sweep-backups: starts a due drill and records skipped ones in the audit
 * log.
 */
import { backupSchedule, platform } from '../../domain/access/initiator.ts';
import { isDrillDue } from '../../domain/backups/drill-schedule.ts';
import { ApiError } from '../../domain/errors.ts';
import type { BackupCheck } from '../../store/backups/backup-check-store.ts';
import type { DrillRow } from '../../store/backups/drill-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { recordAuditEntry } from '../record-audit-entry.ts';
import type { BackupSubject } from './backup-subjects.ts';
import { startDrill } from './start-drill.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'fingerprint' | 'newId' | 'now'>;

export interface DrillSweepEnd {
  /** Whether a drill is running, or is due but could not start yet. */
  isOpen: boolean;
  /** Start of the last recorded drill. */
  notedDrillAt: number;
}

/** @param isFree no backup of the service is running or about to start */
export async function sweepDrills(
  deps: Needs,
  check: BackupCheck,
  { subjects, now, isFree }: { subjects: readonly BackupSubject[]; now: number; isFree: boolean },
): Promise<DrillSweepEnd> {
  const { service, settings, drills } = check;
  const due = subjects.filter(({ newest, drills }) => isDrillDue(settings, newest, drills, now));
  const backup = due[0]?.newest;
  const isDue = service.lastDeployedAt !== null && backup !== undefined;
  const isRunning = drills.some(({ status }) => status === 'running');
  if (isDue && isFree && !isRunning) await start(deps, { backup, service });
  return { isOpen: isDue || isRunning, notedDrillAt: await note(deps, check) };
}

/** Starts a drill. A refusal is ignored: the next check tries again. */
async function start(deps: Needs, tried: Parameters<typeof startDrill>[1]): Promise<void> {
  await startDrill({ ...deps, initiator: backupSchedule }, tried, 'weekly').catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
}

/** Writes one audit entry per skipped drill. */
async function note(deps: Needs, { drills, settings, tenantId }: BackupCheck): Promise<number> {
  const ended = drills.filter((drill) => isWorthNoting(drill) && drill.createdAt > settings.notedDrillAt);
  for (const { status, backupId } of ended) {
    await recordAuditEntry(deps, {
      ...{ tenantId, actor: 'system', actedBy: platform, route: `drill.${status}`, resourceId: backupId },
      ...{ status: 503, requestId: '', address: '' },
    });
  }
  return Math.max(settings.notedDrillAt, ...ended.map(({ createdAt }) => createdAt));
}

/** A manual drill's user sees its end, and failed drills have already been reported (store/data-job-store). */
const isWorthNoting = ({ trigger, status }: DrillRow) => trigger === 'weekly' && status === 'skipped';
