/** The part of a look at a database (look-after-backups) that is about restore drills: begins what is due, notes what could not be tried. */
import { isDrillDue } from '../../domain/drill-schedule.ts';
import { ApiError } from '../../domain/errors.ts';
import type { BackupLook } from '../../store/backup-look-store.ts';
import type { DrillRow } from '../../store/drill-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { noteAuditEntry } from '../note-audit-entry.ts';
import { startDrill } from './start-drill.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'fingerprint' | 'newId' | 'now'>;

export interface DrillLookEnd {
  /** One is at work, or could not begin yet. */
  isOpen: boolean;
  /** Begin of the last drill that was noted. */
  notedDrillAt: number;
}

/** @param isFree no backup of the database is at work, or is about to begin */
export async function lookAfterDrill(
  deps: Needs,
  look: BackupLook,
  { now, isFree }: { now: number; isFree: boolean },
): Promise<DrillLookEnd> {
  const { service, settings, newest, drills } = look;
  const isDue = service.lastDeployedAt !== null && isDrillDue(settings, newest, drills, now);
  if (isDue && isFree && newest) await start(deps, { backup: newest, service });
  const isRunning = drills.some(({ status }) => status === 'running');
  return { isOpen: isDue || isRunning, notedDrillAt: await note(deps, look) };
}

/** What stands in its way now is looked at again soon. */
async function start(deps: Needs, tried: Parameters<typeof startDrill>[1]): Promise<void> {
  await startDrill(deps, tried, 'weekly').catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
}

/** One entry each. */
async function note(deps: Needs, { drills, settings, tenantId }: BackupLook): Promise<number> {
  const ended = drills.filter((drill) => isWorthNoting(drill) && drill.createdAt > settings.notedDrillAt);
  for (const { status, backupId } of ended) {
    await noteAuditEntry(deps, {
      ...{ tenantId, actor: 'system', route: `drill.${status}`, resourceId: backupId },
      ...{ status: 503, requestId: '', address: '' },
    });
  }
  return Math.max(settings.notedDrillAt, ...ended.map(({ createdAt }) => createdAt));
}

/** Who has begun one by hand sees its end. What failed was told then (store/data-job-store). */
const isWorthNoting = ({ trigger, status }: DrillRow) => trigger === 'weekly' && status === 'skipped';
