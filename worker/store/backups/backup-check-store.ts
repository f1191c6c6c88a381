/** The data that cron needs to check databases and services with volumes: each is checked about once a night, by one run at a time. */
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { type NewEvent, raiseEvent } from '../alerts/event-store.ts';
import { backupSettings, backups } from '../schema/backups.ts';
import { projects } from '../schema/projects.ts';
import { services } from '../schema/services.ts';
import { volumes } from '../schema/volumes.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { selectNewestBackups, selectRecentDrills } from './drill-store.ts';

export type BackupCheck = Awaited<ReturnType<typeof claimBackupChecks>>[number];

/** The time of a service's next check, and its recorded facts. */
export interface BackupCheckEnd {
  serviceId: string;
  nextCheckAt: number;
  notedDueAt: number;
  notedDrillAt: number;
}

/** A week, plus a day for late drills. */
const drillsForMs = 8 * 86_400_000;

/**
 * Claims the services that have waited longest, with their settings and volumes, all automatic or running backups, the newest successful
 * backup of each volume or of the database, and the drills of the last week.
 * @param end of the claim, after which another run continues if this one died
 */
export async function claimBackupChecks(
  db: Database,
  { now, until, limit }: { now: number; until: number; limit: number },
) {
  const claimed = await db.all<{
    id: string;
  }>(sql`update backup_settings set next_look_at = ${until} where service_id in
    (select service_id from backup_settings where next_look_at <= ${now} order by next_look_at limit ${limit})
    returning service_id as id`);
  const ids = claimed.map(({ id }) => id);
  if (ids.length === 0) return [];
  const [found, taken, newest, drills, mounted] = await db.batch([
    db
      .select({
        service: columnsAs(services, 'service'),
        settings: columnsAs(backupSettings, 'settings'),
        tenantId: projects.tenantId,
      })
      .from(backupSettings)
      .innerJoin(services, eq(services.id, backupSettings.serviceId))
      .innerJoin(projects, eq(projects.id, services.projectId))
      .where(inArray(backupSettings.serviceId, ids)),
    db
      .select()
      .from(backups)
      .where(
        and(inArray(backups.serviceId, ids), or(sql`trigger <> 'manual'`, eq(backups.status, 'running'))),
      ),
    selectNewestBackups(db, ids),
    selectRecentDrills(db, ids, now - drillsForMs),
    db.select().from(volumes).where(inArray(volumes.serviceId, ids)).orderBy(volumes.createdAt, volumes.id),
  ]);
  return found.map((one) => ({
    ...one,
    backups: taken.filter(({ serviceId }) => serviceId === one.service.id),
    newest: newest.filter(({ serviceId }) => serviceId === one.service.id),
    drills: drills.filter(({ serviceId }) => serviceId === one.service.id),
    volumes: mounted.filter(({ serviceId }) => serviceId === one.service.id),
  }));
}

/** The event for a backup that was due at `dueAt` but was not taken. */
export interface MissedBackup {
  dueAt: number;
  event: NewEvent;
}

/** Writes the results of checks in one statement. If the settings have changed since, the earlier next check remains. */
export async function endBackupChecks(
  db: Database,
  ends: readonly BackupCheckEnd[],
  missed: readonly MissedBackup[],
  until: number,
): Promise<void> {
  const of = (
    name: keyof BackupCheckEnd,
  ): SQL => sql`(select value ->> ${name} from json_each(${JSON.stringify(ends)})
    where value ->> 'serviceId' = backup_settings.service_id)`;
  const write =
    db.run(sql`update backup_settings set noted_due_at = ${of('notedDueAt')}, noted_drill_at = ${of('notedDrillAt')},
      next_look_at = iif(next_look_at = ${until}, ${of('nextCheckAt')}, next_look_at)
    where service_id in (select value ->> 'serviceId' from json_each(${JSON.stringify(ends)}))`);
  const [first, ...others] = [...missed.flatMap((one) => missedEvent(db, one)), write];
  await db.batch([first, ...others]);
}

/** Raises the event once per due time. */
function missedEvent(db: Database, { dueAt, event }: MissedBackup) {
  const isNew = sql`exists (select 1 from backup_settings where service_id = ${event.serviceId} and noted_due_at < ${dueAt})`;
  return raiseEvent(db, event, isNew);
}

/** Failed backups have no copies anywhere. @param limit rows per run */
export function pruneFailedBackups(db: Database, before: number, limit: number) {
  return db.run(sql`delete from backups where id in
    (select id from backups where status = 'failed' and created_at < ${before} order by created_at limit ${limit})`);
}
