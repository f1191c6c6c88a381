/**
 * Removes old deployments, commands and jobs, in steps. A step reads a window of services, because an index by age would begin with rows that must
 * not be deleted, and every run would read all of these again.
 */
import { getTableColumns, max, type SQL, sql } from 'drizzle-orm';
import { pendingDeploymentStatuses } from '../../domain/jobs/deployment-state.ts';
import { backups, drills, imports, restores } from '../schema/backups.ts';
import { databaseUpgrades } from '../schema/database-upgrades.ts';
import { runs } from '../schema/runs.ts';
import { services } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';

/** A range of services by rowid, including `until`. */
export interface ServiceWindow {
  after: number;
  until: number;
}

interface PruneRules {
  /** Rows from before this time are deleted. */
  before: number;
  /** Number of the newest rows of a service that are not deleted. */
  kept: number;
  limit: number;
  at: number;
}

/** Tables whose rows keep their job's row. */
const jobOwners = [backups, restores, imports, drills, databaseUpgrades, runs];

/** The largest rowid of a service. */
export async function lastServiceRow(db: Database): Promise<number> {
  const [row] = await db.select({ last: max(sql`services.rowid`).mapWith(Number) }).from(services);
  return row?.last ?? 0;
}

/**
 * Deletes deployments older than `before` with their jobs, at most `limit`, and creates tasks to empty their logs. The newest ones of
 * each service, and those that are live, unfinished or needed for a rollback, remain.
 * @returns number of deleted deployments
 */
export async function pruneDeployments(
  db: Database,
  window: ServiceWindow,
  { before, kept, limit, at }: PruneRules,
): Promise<number> {
  const old = await db.all<{ id: string; jobId: string }>(oldDeployments(window, before, kept, limit));
  if (old.length === 0) return 0;
  const logs = old.map(({ id }) => id);
  // Deployments that have ended and have no snapshot do not change, so the rows are the same as when they were read.
  await db.batch([
    db.run(sql`insert or ignore into log_purges (stream_name, created_at)
      select value, ${at} from json_each(${JSON.stringify(logs)}) where exists (select 1 from deployments where id = value)`),
    db.run(
      sql`delete from jobs where id in (select value from json_each(${JSON.stringify(old.map(({ jobId }) => jobId))}))`,
    ),
  ]);
  return old.length;
}

/** The limit of each service is computed once: its oldest deployment to keep, or the age if that is older. A rollback needs a snapshot. */
function oldDeployments({ after, until }: ServiceWindow, before: number, kept: number, limit: number): SQL {
  const unfinished = sql.join(
    [...pendingDeploymentStatuses, 'running'].map((status) => sql`${status}`),
    sql`, `,
  );
  return sql`select old.id, old.job_id as jobId
    from (select services.id, min(${before}, coalesce((select created_at from deployments newest
        where newest.service_id = services.id order by created_at desc limit 1 offset ${kept - 1}), 0)) bound
      from services where services.rowid > ${after} and services.rowid <= ${until}) owner
    join deployments old on old.service_id = owner.id and old.created_at < owner.bound
    where old.status not in (${unfinished}) and old.sealed_snapshot is null
    limit ${limit}`;
}

/**
 * Deletes commands that clients started before `before`, with their jobs, at most `limit`, and creates tasks to empty their logs. The
 * newest ones of each service and those that have not ended remain. Commands of a schedule have a limit of their own (schedule-store).
 * @returns number of deleted commands
 */
export async function pruneRuns(
  db: Database,
  { after, until }: ServiceWindow,
  { before, kept, limit, at }: PruneRules,
): Promise<number> {
  const old = await db.all<{ id: string; jobId: string }>(sql`select old.id, old.job_id as jobId
    from (select services.id, min(${before}, coalesce((select created_at from runs newest
        where newest.service_id = services.id order by created_at desc limit 1 offset ${kept - 1}), 0)) bound
      from services where services.rowid > ${after} and services.rowid <= ${until}) owner
    join runs old on old.service_id = owner.id and old.created_at < owner.bound
    where old.status not in ('queued', 'running') and not exists (select 1 from occurrences where run_id = old.id)
    limit ${limit}`);
  if (old.length === 0) return 0;
  const ids = sql`(select value from json_each(${JSON.stringify(old.map(({ id }) => id))}))`;
  const jobIds = sql`(select value from json_each(${JSON.stringify(old.map(({ jobId }) => jobId))}))`;
  // A command that has ended does not change, so the rows are the same as when they were read.
  await db.batch([
    db.run(sql`insert or ignore into log_purges (stream_name, created_at)
      select id, ${at} from runs where id in ${ids}`),
    db.run(sql`delete from runs where id in ${ids}`),
    db.run(sql`delete from jobs where id in ${jobIds}`),
  ]);
  return old.length;
}

/** Deletes jobs other than deployments that ended before `before` and that no row refers to. @returns number of deleted jobs */
export async function pruneDataJobs(
  db: Database,
  { after, until }: ServiceWindow,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const unowned = jobOwners.map(
    (table) => sql`not exists (select 1 from ${table} where ${getTableColumns(table).jobId} = jobs.id)`,
  );
  const deleted = await db.all<{ id: string }>(sql`delete from jobs where id in (
    select jobs.id from services join jobs on jobs.service_id = services.id and jobs.finished_at < ${before}
    where services.rowid > ${after} and services.rowid <= ${until} and jobs.kind <> 'deploy'
      and jobs.state in ('succeeded', 'failed', 'aborted') and ${sql.join(unowned, sql` and `)}
    limit ${limit}) returning id`);
  return deleted.length;
}
