/** What the schedule of a service backs up and tests: its database, or each of its volumes by itself. */
import type { BackupCheck } from '../../store/backups/backup-check-store.ts';

export interface BackupSubject {
  /** Null: the database. */
  volume: BackupCheck['volumes'][number] | null;
  /** Scheduled, safety and running backups of it. */
  backups: BackupCheck['backups'];
  /** The newest successful backup of it; undefined: none. */
  newest: BackupCheck['newest'][number] | undefined;
  /** Drills of the last week and running ones. */
  drills: BackupCheck['drills'];
}

/** @returns none for a service without volumes that is no database */
export function subjectsOf(check: BackupCheck): BackupSubject[] {
  const { service, volumes } = check;
  const found = service.kind === 'database' ? [null] : volumes;
  return found.map((volume) => {
    const isIts = ({ volumeId }: { volumeId: string | null }) => volumeId === (volume?.id ?? null);
    return {
      volume,
      backups: check.backups.filter(isIts),
      newest: check.newest.find(isIts),
      drills: check.drills.filter(isIts),
    };
  });
}

/**
 * Whether there is data to back up. A service that was never deployed has none, and the host creates a volume with the first deployment
 * after it.
 */
export const isOnHost = ({ service }: BackupCheck, { volume }: BackupSubject): boolean =>
  service.lastDeployedAt !== null && (volume === null || volume.createdAt <= service.lastDeployedAt);
