/** Facts that show whether the control plane works: its schema, its scheduled work, and waiting work. */
import { asc, isNotNull, sql } from 'drizzle-orm';
import journal from '../../../migrations/meta/_journal.json' with { type: 'json' };
import type { DayUse } from '../../domain/logs/log-pace.ts';
import { backupSettings } from '../schema/backups.ts';
import { jobs } from '../schema/jobs.ts';
import { runners } from '../schema/runners.ts';
import { scheduledRuns } from '../schema/scheduled-runs.ts';
import type { Database } from '../sql/database.ts';
import { dayUseOf, selectDayUse } from './object-day-store.ts';

export type ScheduledRun = typeof scheduledRuns.$inferSelect;

/** The file name of the newest migration that this version needs. */
export const newestMigration = `${journal.entries.at(-1)?.tag}.sql`;

/** Whether the database has the newest migration. This also holds for a database that is newer than this version. */
export async function isMigrated(db: Database): Promise<boolean> {
  const found = sql`select 1 from d1_migrations where name = ${newestMigration}`;
  try {
    return (await db.all(found)).length > 0;
  } catch (error) {
    // No migration was ever applied.
    if (error instanceof Error && /no such table/.test(`${error.message} ${error.cause}`)) return false;
    throw error;
  }
}

export interface Waiting {
  lastRun: ScheduledRun | undefined;
  /** Time at which the newest migration was applied, from which the scheduled work should run. */
  migratedAt: number;
  /** Time at which the longest waiting job of a connected host was queued; `null` if none waits. */
  oldestJobAt: number | null;
  /** Due time of the longest overdue backup check of a database; `null` if there is none. */
  oldestBackupCheckAt: number | null;
  /** End of the last complete dump of the database; `null` if there is none. */
  lastDumpAt: number | null;
  /** Whether dumps are enabled. */
  makesDumps: boolean;
  dayUse: DayUse;
}

/** Reads everything in one round trip. */
export async function readWaiting(db: Database, now: number): Promise<Waiting> {
  const [runs, migrated, oldestJobs, checks, dumped, dayUse] = await db.batch([
    db.select().from(scheduledRuns),
    db
      .select({ at: sql<number>`unixepoch(applied_at) * 1000` })
      .from(sql`d1_migrations`)
      .where(sql`name = ${newestMigration}`),
    db
      .select({ at: sql<number | null>`min(${jobs.queuedAt})` })
      .from(jobs)
      .innerJoin(runners, sql`${runners.id} = ${jobs.runnerId} and ${isNotNull(runners.connectedAt)}`)
      .where(sql`${jobs.state} = 'queued' and ${jobs.state} in ('queued', 'active')`),
    db
      .select({ at: backupSettings.nextCheckAt })
      .from(backupSettings)
      .orderBy(asc(backupSettings.nextCheckAt))
      .limit(1),
    db.all<{ lastAt: number | null; kept: number | null }>(sql`select
      (select max(finished_at) from dumps where state = 'complete') as lastAt,
      (select value ->> '$' from settings where name = 'keepDumps') as kept`),
    selectDayUse(db, now),
  ]);
  return {
    lastRun: runs[0],
    migratedAt: migrated[0]?.at ?? 0,
    oldestJobAt: oldestJobs[0]?.at ?? null,
    oldestBackupCheckAt: checks[0]?.at ?? null,
    lastDumpAt: dumped[0]?.lastAt ?? null,
    makesDumps: dumped[0]?.kept !== 0,
    dayUse: dayUseOf(dayUse),
  };
}

/** @param notRun names that remain in the list of failed ones, because they did not run this time */
export function writeScheduledRun(db: Database, run: ScheduledRun, notRun: readonly string[]) {
  const { schedule, ...rest } = run;
  const failed = sql`(
    select json_group_array(name) from (
      select value as name from json_each(${scheduledRuns.failed})
        where value in (select value from json_each(${JSON.stringify(notRun)}))
      union select value from json_each(${JSON.stringify(run.failed)})
    )
  )`;
  return db
    .insert(scheduledRuns)
    .values(run)
    .onConflictDoUpdate({ target: scheduledRuns.schedule, set: { ...rest, failed } });
}
