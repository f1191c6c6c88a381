/** Upgrades of databases, for clients that read and start them. data-job-store writes the reports of hosts. */
import { and, desc, eq, getTableColumns, ne, sql } from 'drizzle-orm';
import type { JobPhase } from '../../../protocol/job-report.ts';
import type { Initiator } from '../../domain/access/initiator.ts';
import {
  insertDefaultSettings,
  insertRunningBackup,
  type NewBackup,
  queueDataJob,
} from '../backups/backup-store.ts';
import { databaseUpgrades } from '../schema/database-upgrades.ts';
import { jobs } from '../schema/jobs.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';

export type UpgradeRow = typeof databaseUpgrades.$inferSelect & {
  phase: JobPhase | null;
  startedBy: Initiator | null;
};

export type NewUpgrade = Pick<
  UpgradeRow,
  'id' | 'serviceId' | 'jobId' | 'action' | 'fromImage' | 'toImage' | 'undoes' | 'acceptNotKept' | 'createdAt'
> & {
  startedBy: Initiator;
  /** The backup of the previous data; `null` for an undo. */
  safety: NewBackup | null;
};

/** @returns the host; undefined if the service is not deployed, its host is revoked, or another job uses its data */
export async function insertUpgrade(db: Database, upgrade: NewUpgrade): Promise<string | undefined> {
  const { id, serviceId, jobId, action, fromImage, toImage, undoes, acceptNotKept, createdAt, safety } =
    upgrade;
  const [[job]] = await db.batch([
    queueDataJob(db, { id: jobId, kind: 'upgrade', serviceId, startedBy: upgrade.startedBy, at: createdAt }),
    ...(safety ? [insertRunningBackup(db, safety), insertDefaultSettings(db, safety)] : []),
    db.run(sql`insert into database_upgrades (id, service_id, job_id, action, from_image, to_image, undoes, accept_not_kept,
        safety_backup_id, status, created_at)
      select ${id}, ${serviceId}, jobs.id, ${action}, ${fromImage}, ${toImage}, ${undoes}, ${acceptNotKept ? 1 : 0},
        ${safety?.id ?? null}, 'running', ${createdAt} from jobs where jobs.id = ${jobId}`),
  ]);
  return job?.runnerId;
}

const selectRows = (db: Database) =>
  db
    .select({ ...getTableColumns(databaseUpgrades), phase: jobs.phase, startedBy: jobs.startedBy })
    .from(databaseUpgrades)
    .innerJoin(jobs, eq(jobs.id, databaseUpgrades.jobId));

/** A page of a database's upgrades, newest first. */
export function selectUpgrades(db: Database, serviceId: string, page: Page) {
  const columns = { at: databaseUpgrades.createdAt, key: databaseUpgrades.id };
  const { after, orderBy, limit } = keysetOf(columns, 'newest', page);
  return selectRows(db)
    .where(and(eq(databaseUpgrades.serviceId, serviceId), after))
    .orderBy(...orderBy)
    .limit(limit);
}

/** The last upgrade or undo that succeeded, if any. */
export const selectLastUpgrade = (db: Database, serviceId: string) =>
  selectRows(db)
    .where(
      and(
        eq(databaseUpgrades.serviceId, serviceId),
        ne(databaseUpgrades.action, 'dry-run'),
        eq(databaseUpgrades.status, 'succeeded'),
      ),
    )
    .orderBy(desc(databaseUpgrades.createdAt), desc(sql`database_upgrades.rowid`))
    .limit(1);

export async function findUpgrade(db: Database, id: string): Promise<UpgradeRow | undefined> {
  const [row] = await selectRows(db).where(eq(databaseUpgrades.id, id));
  return row;
}

/** The running upgrade, dry run or undo of this database. */
export async function findOpenUpgrade(db: Database, serviceId: string): Promise<UpgradeRow | undefined> {
  const [row] = await selectRows(db)
    .where(and(eq(databaseUpgrades.serviceId, serviceId), eq(databaseUpgrades.status, 'running')))
    .limit(1);
  return row;
}
