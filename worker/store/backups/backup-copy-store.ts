/** The rows for backup copies and uploaded files in the bucket. */
import { and, eq, gt, lte, ne, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { putBackReason } from '../../domain/jobs/job-state.ts';
import { folderIdOfDeployment } from '../projects/folder-store.ts';
import { backups, drills, imports, restores } from '../schema/backups.ts';
import { deployments } from '../schema/deployments.ts';
import { jobs } from '../schema/jobs.ts';
import { hostTasks } from '../schema/runners.ts';
import { uploads } from '../schema/uploads.ts';
import type { Database } from '../sql/database.ts';

export type CopyJob = NonNullable<Awaited<ReturnType<typeof findCopyJob>>>;

/** A job, the backup that it takes, and the backup that it restores or tests. */
export async function findCopyJob(db: Database, jobId: string) {
  const restored = alias(backups, 'restored');
  const [row] = await db
    .select({
      job: { id: jobs.id, kind: jobs.kind, state: jobs.state, epoch: jobs.epoch },
      taken: { id: backups.id, serviceId: backups.serviceId, storage: backups.storage },
      restored: { id: restored.id, remoteKey: restored.remoteKey },
      /** The file that the job imports, or the folder from which it builds. */
      uploaded: { id: uploads.id, serviceId: uploads.serviceId },
    })
    .from(jobs)
    .leftJoin(backups, eq(backups.jobId, jobs.id))
    .leftJoin(restores, eq(restores.jobId, jobs.id))
    .leftJoin(imports, eq(imports.jobId, jobs.id))
    .leftJoin(deployments, eq(deployments.jobId, jobs.id))
    .leftJoin(
      uploads,
      eq(
        uploads.id,
        sql`coalesce((select id from uploads dump where dump.import_id = ${imports.id}), ${folderIdOfDeployment})`,
      ),
    )
    .leftJoin(drills, eq(drills.jobId, jobs.id))
    .leftJoin(restored, eq(restored.id, sql`coalesce(${restores.backupId}, ${drills.backupId})`))
    .where(eq(jobs.id, jobId));
  return row;
}

/**
 * Failed backups since a time that may have a copy in the bucket, because their host may have died before it deleted the copy. Without
 * backups that count as failed only because the database was restored to an earlier time: their copy may be complete.
 */
export function listFailedCopies(db: Database, since: number, limit: number) {
  return db
    .select({ id: backups.id, serviceId: backups.serviceId })
    .from(backups)
    .where(
      and(
        eq(backups.status, 'failed'),
        ne(backups.storage, 'disk'),
        gt(backups.finishedAt, since),
        sql`coalesce(${backups.error}, '') not like ${`${putBackReason}%`}`,
      ),
    )
    .limit(limit);
}

/**
 * Deleted databases whose data is no longer stored. Known until the row of the removal task is deleted a week later. Without databases that
 * a dump has restored since.
 */
export async function listPurgedDatabases(db: Database, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ serviceId: sql<string>`${hostTasks.task} ->> 'serviceId'` })
    .from(hostTasks)
    .where(
      and(
        sql`${hostTasks.task} ->> 'kind' = 'remove-volumes'`,
        lte(hostTasks.dueAt, now),
        sql`not exists (select 1 from services where services.id = ${hostTasks.task} ->> 'serviceId')`,
        sql`not exists (select 1 from deletions where deletions.resource_id = ${hostTasks.task} ->> 'serviceId')`,
      ),
    )
    .orderBy(sql`${hostTasks.dueAt} desc`)
    .limit(limit);
  return [...new Set(rows.map(({ serviceId }) => serviceId))];
}
