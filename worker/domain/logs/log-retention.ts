/** How long the log of a deployment or command is kept (decision 0034). */

const dayMs = 24 * 3_600_000;

/** The newest deployments and commands of a service keep their logs whatever their age, and so does the live version. */
export const newestWithLogs = 10;

/** The least value of the setting `logDays`. */
export const firstLogCheckMs = 7 * dayMs;
/** A log that could not be written to the archive is tried again after this time. */
export const retriedArchiveMs = dayMs;
/** A log that stays although it is old enough is checked again after this time. */
export const repeatedLogCheckMs = 7 * dayMs;

export interface LogAge {
  /** When its deployment or command ended; null: it has not. */
  finishedAt: number | null;
  isLive: boolean;
  /** Newer ones of its service, counted up to `newestWithLogs`. */
  newer: number;
  /** The settings. */
  logDays: number;
  logArchiveDays: number | null;
}

/** @param age undefined: no row, as of a deleted service that can still be restored @returns `remove`, or when to check again */
export function fateOfLog(age: LogAge | undefined, now: number): 'remove' | number {
  if (!age || age.finishedAt === null || age.isLive || age.newer < newestWithLogs)
    return now + repeatedLogCheckMs;
  const removedAt = age.finishedAt + age.logDays * dayMs;
  return removedAt <= now ? 'remove' : removedAt;
}

/** Whether a log that is removed now goes to the archive: as long as it would stay there. */
export const isArchiveWanted = ({ finishedAt, logArchiveDays }: LogAge, now: number): boolean =>
  logArchiveDays !== null && finishedAt !== null && finishedAt + logArchiveDays * dayMs > now;

/** Whether a log may have been removed already. */
export const isLogOld = (finishedAt: number | null, now: number): boolean =>
  finishedAt !== null && now - finishedAt >= firstLogCheckMs;

/** What a log says after its lines were removed. */
export const removedLogLine =
  'This log was removed because of its age. The setting "logDays" of the instance says how long logs are kept; the live version and the ' +
  `newest ${newestWithLogs} deployments and commands of a service keep theirs.`;
