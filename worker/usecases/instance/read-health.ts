import { type DayUse, isBudgetLow } from '../../domain/logs/log-pace.ts';
import {
  isMigrated,
  readWaiting,
  type ScheduledRun,
  writeScheduledRun,
} from '../../store/instance/health-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Cron runs every minute. Three runs may be missing before it counts as late, and ten before it counts as dead. */
const lateRunMs = 4 * 60_000;
const deadRunMs = 11 * 60_000;
/** A check for due backups may wait for an hour at night; a longer wait means that the instance has more databases than it can handle. */
const lateBackupCheckMs = 60 * 60_000;

/** A dump is made each day; two may fail. */
const lateDumpMs = 75 * 60 * 60_000;

/**
 * `ok`; `degraded`: the instance works, but something needs attention; `failing`: requests or
 * scheduled work fail.
 */
export type HealthStatus = 'ok' | 'degraded' | 'failing';

export interface Health {
  status: HealthStatus;
  /** `ok`, `unreachable`, or `not_migrated`: a migration of this version is missing. */
  database: 'ok' | 'unreachable' | 'not_migrated';
  /** The last run of the scheduled work; `null` before the first run. */
  lastRun: ScheduledRun | null;
  /** Waits of the oldest job for a connected host, and of the oldest check for due backups. */
  oldestJobMs: number;
  oldestBackupCheckMs: number;
  /** End of the last complete dump of the database; `null` if there is none. */
  lastDumpAt: number | null;
  /** Requests to objects of logs today; `null` if the database can't be read. */
  dayUse: DayUse | null;
}

/** Reads the health of the control plane. Never throws. */
export async function readHealth({ db, now }: Pick<Dependencies, 'db' | 'now'>): Promise<Health> {
  const unknown = { lastRun: null, oldestJobMs: 0, oldestBackupCheckMs: 0, lastDumpAt: null, dayUse: null };
  try {
    if (!(await isMigrated(db))) return { status: 'failing', database: 'not_migrated', ...unknown };
    const { lastRun, migratedAt, oldestJobAt, oldestBackupCheckAt, lastDumpAt, makesDumps, dayUse } =
      await readWaiting(db, now());
    const waited = (since: number | null) => (since === null ? 0 : Math.max(0, now() - since));
    const health = {
      lastRun: lastRun ?? null,
      oldestJobMs: waited(oldestJobAt),
      oldestBackupCheckMs: waited(oldestBackupCheckAt),
      lastDumpAt,
      dayUse,
    };
    const isDumpLate = makesDumps && now() - (lastDumpAt ?? migratedAt) > lateDumpMs;
    return {
      status: statusOf(health, now() - (lastRun?.startedAt ?? migratedAt), isDumpLate),
      database: 'ok',
      ...health,
    };
  } catch (error) {
    console.error(`The health could not be read: ${error instanceof Error ? error.stack : String(error)}`);
    return { status: 'failing', database: 'unreachable', ...unknown };
  }
}

/** @param sinceRunMs time since the last run, or since the installation if there was none */
function statusOf(
  { lastRun, oldestBackupCheckMs, dayUse }: Omit<Health, 'status' | 'database'>,
  sinceRunMs: number,
  isDumpLate: boolean,
): HealthStatus {
  if (sinceRunMs > deadRunMs) return 'failing';
  const isLate =
    isDumpLate ||
    sinceRunMs > lateRunMs ||
    oldestBackupCheckMs > lateBackupCheckMs ||
    (dayUse !== null && isBudgetLow(dayUse));
  return isLate || (lastRun?.failed.length ?? 0) > 0 ? 'degraded' : 'ok';
}

/** Records the outcome of a run. Parts that did not run keep their last outcome. */
export async function recordScheduledRun(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  startedAt: number,
  { failed, notRun }: { failed: string[]; notRun: string[] },
): Promise<void> {
  const run = { schedule: 'minute' as const, startedAt, durationMs: now() - startedAt, failed };
  await writeScheduledRun(db, run, notRun);
}
