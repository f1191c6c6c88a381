/** Which backups are kept: 7 daily, 5 weekly, 12 monthly, and always the newest one that succeeded. */
import type { BackupRun } from './backup-schedule.ts';

/** By trigger; what a person asked for is kept until a person deletes it. */
export const keptBackups = { daily: 7, weekly: 5, monthly: 12, 'pre-restore': 7 } as const;

/** @returns backups of one service that are kept no longer, the oldest first; those that failed or run are not this function's. */
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
