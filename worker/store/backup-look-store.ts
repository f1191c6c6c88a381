/** What cron needs of the databases that have backups: each is looked at about once a night, and claimed by one run at a time. */
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { columnsAs } from './columns-as.ts';
import type { Database } from './database.ts';
import { selectNewestBackups, selectRecentDrills } from './drill-store.ts';
import { type NewEvent, raiseEvent } from './event-store.ts';
import { backupSettings, backups } from './schema/backups.ts';
import { projects } from './schema/projects.ts';
import { services } from './schema/services.ts';

export type BackupLook = Awaited<ReturnType<typeof claimBackupLooks>>[number];

/** When a database is looked at next, and what of it has been noted. */
export interface BackupLookEnd {
  serviceId: string;
  nextLookAt: number;
  notedDueAt: number;
  notedDrillAt: number;
}

/** A week, and a day for what is late. */
const drillsForMs = 8 * 86_400_000;

/**
 * Takes the longest waiting ones, with their settings, all backups that nobody asked for by hand, or that run, the newest one that
 * succeeded, and the drills of a week.
 * @param until nobody else looks at them before this moment: a run that dies is made good then
 */
export async function claimBackupLooks(
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
  const [found, taken, newest, drills] = await db.batch([
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
  ]);
  return found.map((one) => ({
    ...one,
    backups: taken.filter(({ serviceId }) => serviceId === one.service.id),
    newest: newest.find(({ serviceId }) => serviceId === one.service.id),
    drills: drills.filter(({ serviceId }) => serviceId === one.service.id),
  }));
}

/** Of a backup that was due then and was not taken. */
export interface MissedBackup {
  dueAt: number;
  event: NewEvent;
}

/** Writes how looks ended, one statement for all; whoever changed the settings meanwhile wants another look soon. */
export async function endBackupLooks(
  db: Database,
  ends: readonly BackupLookEnd[],
  missed: readonly MissedBackup[],
  until: number,
): Promise<void> {
  const of = (
    name: keyof BackupLookEnd,
  ): SQL => sql`(select value ->> ${name} from json_each(${JSON.stringify(ends)})
    where value ->> 'serviceId' = backup_settings.service_id)`;
  const write =
    db.run(sql`update backup_settings set noted_due_at = ${of('notedDueAt')}, noted_drill_at = ${of('notedDrillAt')},
      next_look_at = iif(next_look_at = ${until}, ${of('nextLookAt')}, next_look_at)
    where service_id in (select value ->> 'serviceId' from json_each(${JSON.stringify(ends)}))`);
  const [first, ...others] = [...missed.flatMap((one) => tellMissed(db, one)), write];
  await db.batch([first, ...others]);
}

/** Once a due moment. */
function tellMissed(db: Database, { dueAt, event }: MissedBackup) {
  const isNew = sql`exists (select 1 from backup_settings where service_id = ${event.serviceId} and noted_due_at < ${dueAt})`;
  return raiseEvent(db, event, isNew);
}

/** Nothing of them lies anywhere. @param limit rows a run */
export function pruneFailedBackups(db: Database, before: number, limit: number) {
  return db.run(sql`delete from backups where id in
    (select id from backups where status = 'failed' and created_at < ${before} order by created_at limit ${limit})`);
}
