/** Retention of the logs of deployments and commands (decision 0034). */

const dayMs = 24 * 3_600_000;

/** The newest deployments and commands of a service keep their logs at any age, and so does the live version. */
export const newestWithLogs = 10;

/** The least value of the setting `logDays`. */
export const firstLogCheckMs = 7 * dayMs;
/** Wait before another attempt for a log that could not be written to the archive. */
export const retriedArchiveMs = dayMs;
/** Wait before the next check of a log that is old enough but still needed. */
export const repeatedLogCheckMs = 7 * dayMs;

export interface LogAge {
  /** End of its deployment or command; `null` before it has ended. */
  finishedAt: number | null;
  isLive: boolean;
  /** Number of newer ones of its service, counted up to `newestWithLogs`. */
  newer: number;
  logDays: number;
  logArchiveDays: number | null;
}

/** @param age undefined without a row, as for a deleted service that can still be restored @returns `remove`, or the time of the next check */
export function fateOfLog(age: LogAge | undefined, now: number): 'remove' | number {
  if (!age || age.finishedAt === null || age.isLive || age.newer < newestWithLogs)
    return now + repeatedLogCheckMs;
  const removedAt = age.finishedAt + age.logDays * dayMs;
  return removedAt <= now ? 'remove' : removedAt;
}

/** Whether a log that is removed now goes to the archive: only if its retention there is not over. */
export const isArchiveWanted = ({ finishedAt, logArchiveDays }: LogAge, now: number): boolean =>
  logArchiveDays !== null && finishedAt !== null && finishedAt + logArchiveDays * dayMs > now;

/** Whether a log is old enough that it may have been removed already. */
export const isLogOld = (finishedAt: number | null, now: number): boolean =>
  finishedAt !== null && now - finishedAt >= firstLogCheckMs;

/** The text of a log whose lines were removed. */
export const removedLogLine =
  'This log was removed because of its age. The setting "logDays" of the instance says how long logs are kept; the live version and the ' +
  `newest ${newestWithLogs} deployments and commands of a service keep theirs.`;
