/** Restore drills, for clients that read and start them. data-job-store writes the reports of hosts. */
import { and, eq, getTableColumns, gt, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { Initiator } from '../../domain/access/initiator.ts';
import { backups, drills } from '../schema/backups.ts';
import type { Database } from '../sql/database.ts';
import type { Page } from '../sql/keyset.ts';
import { startedByOf } from '../sql/started-by.ts';
import { isKept } from './backup-removal-store.ts';
import { isLastOfPage, queueDataJob } from './backup-store.ts';

export type DrillRow = typeof drills.$inferSelect;
/** A drill and who started it; `null` if that is not recorded. */
export type StartedDrill = DrillRow & { startedBy: Initiator | null };

const drillColumns = { ...getTableColumns(drills), startedBy: startedByOf(drills.jobId) };

export type NewDrill = Pick<DrillRow, 'id' | 'backupId' | 'serviceId' | 'jobId' | 'trigger' | 'createdAt'> & {
  startedBy: Initiator;
};

/**
 * @returns the host; undefined if the service is not deployed, its host is revoked, another job or drill uses its data, or the backup no
 * longer
 *   exists or is being deleted
 */
export async function insertDrill(db: Database, drill: NewDrill): Promise<string | undefined> {
  const { id, backupId, serviceId, jobId, trigger, startedBy, createdAt } = drill;
  const [[job]] = await db.batch([
    queueDataJob(
      db,
      { id: jobId, kind: 'drill', serviceId, startedBy, at: createdAt },
      isKept(backupId, createdAt),
    ),
    db.run(sql`insert into drills (id, backup_id, service_id, job_id, "trigger", status, created_at)
      select ${id}, ${backupId}, ${serviceId}, jobs.id, ${trigger}, 'running', ${createdAt} from jobs where jobs.id = ${jobId}`),
  ]);
  return job?.runnerId;
}

/** The last drill of each backup of a page of a service's backups. */
export const selectDrills = (db: Database, serviceId: string | SQL, page: Page) =>
  db
    .select(drillColumns)
    .from(drills)
    .where(isLastOfPage('drills', serviceId, page));

export async function findDrill(db: Database, drillId: string): Promise<StartedDrill | undefined> {
  const [row] = await db.select(drillColumns).from(drills).where(eq(drills.id, drillId));
  return row;
}

/** The running drill of this backup. */
export async function findOpenDrill(db: Database, backupId: string): Promise<StartedDrill | undefined> {
  const [row] = await db
    .select(drillColumns)
    .from(drills)
    .where(and(eq(drills.backupId, backupId), eq(drills.status, 'running')))
    .limit(1);
  return row;
}

/** Drills of these services since a time, and running ones, each with the volume of its backup. */
export const selectRecentDrills = (db: Database, serviceIds: string[], since: number) =>
  db
    .select({ ...getTableColumns(drills), volumeId: backups.volumeId })
    .from(drills)
    .innerJoin(backups, eq(backups.id, drills.backupId))
    .where(
      and(
        inArray(drills.serviceId, serviceIds),
        or(gt(drills.createdAt, since), eq(drills.status, 'running')),
      ),
    );

/** The newest successful backup, if any, of each of these databases and of each volume of these services. */
export const selectNewestBackups = (db: Database, serviceIds: string[]) =>
  db
    .select()
    .from(backups)
    .where(
      and(
        inArray(backups.serviceId, serviceIds),
        sql`${backups.id} = (select newest.id from backups newest where newest.service_id = ${backups.serviceId}
          and newest.volume_id is ${backups.volumeId} and newest.status = 'succeeded' order by newest.created_at desc, newest.rowid desc limit 1)`,
      ),
    );
