/** Backup retention: 7 daily, 5 weekly and 12 monthly backups, and always the newest one that succeeded. */
import type { BackupRun } from './backup-schedule.ts';

/** Number of kept backups by trigger. Manual backups are kept until a person deletes them. */
export const keptBackups = { daily: 7, weekly: 5, monthly: 12, 'pre-restore': 7, move: 7 } as const;

/** @param backups of one service @returns those beyond retention, oldest first. Failed and running backups are not included. */
export function expendable<Run extends BackupRun>(backups: readonly Run[]): Run[] {
  const succeeded = backups
    .filter(({ status }) => status === 'succeeded')
    .toSorted((one, other) => other.createdAt - one.createdAt);
  const beyond = Object.entries(keptBackups).flatMap(([trigger, count]) =>
    succeeded.filter((backup) => backup.trigger === trigger).slice(count),
  );
  return beyond
    .filter((backup) => backup !== succeeded[0])
    .toSorted((one, other) => one.createdAt - other.createdAt);
}
