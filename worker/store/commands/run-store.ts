/** Commands that run once, for clients that start and read them. data-job-store writes the reports of hosts. */
import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { Initiator } from '../../domain/access/initiator.ts';
import { openRunsMax } from '../../domain/jobs/run-state.ts';
import { sharedHostColumns } from '../jobs/dispatch-store.ts';
import { storedLogBytesOf } from '../projects/tenant-day-store.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { deployments } from '../schema/deployments.ts';
import { jobs } from '../schema/jobs.ts';
import { projects } from '../schema/projects.ts';
import { runners } from '../schema/runners.ts';
import { runs } from '../schema/runs.ts';
import { services } from '../schema/services.ts';
import { tenants } from '../schema/tenants.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';
import { inScope } from '../sql/scoped-store.ts';
import { startedByOf } from '../sql/started-by.ts';

/** `scheduleId` is null for a command that a client has started, `startedBy` if that was not recorded yet. */
export type RunRow = typeof runs.$inferSelect & { scheduleId: string | null; startedBy: Initiator | null };
export type NewRun = Pick<
  RunRow,
  'id' | 'serviceId' | 'jobId' | 'command' | 'timeLimitSeconds' | 'container' | 'createdAt'
> & { startedBy: Initiator };

const scheduleId = sql<string | null>`(select schedule_id from occurrences where run_id = runs.id)`;
const runColumns = {
  ...getTableColumns(runs),
  scheduleId: scheduleId.as('schedule_id'),
  startedBy: startedByOf(runs.jobId),
};

/**
 * Queues a command on the service's host.
 * @param also further statements of the batch
 * @returns the host; undefined if nothing is live, the host is revoked, or too many commands of the service have not ended
 */
export async function insertRun(
  db: Database,
  run: NewRun,
  also: BatchItem<'sqlite'>[],
): Promise<string | undefined> {
  const { id, serviceId, jobId, command, timeLimitSeconds, container, startedBy, createdAt } = run;
  const [[job]] = await db.batch([
    insertRunJob(db, { jobId, serviceId, startedBy, at: createdAt }, sql`true`),
    db.run(sql`insert into runs (id, service_id, job_id, command, time_limit_seconds, container, status, created_at)
      select ${id}, ${serviceId}, jobs.id, ${command}, ${timeLimitSeconds}, ${container}, 'queued', ${createdAt} from jobs where jobs.id = ${jobId}`),
    ...also,
  ]);
  return job?.runnerId;
}

/**
 * Queues the job of a command if its service can run one.
 * @param condition further condition
 */
export function insertRunJob(
  db: Database,
  run: { jobId: string; serviceId: string; startedBy: Initiator; at: number },
  condition: SQL,
) {
  return db.all<{
    runnerId: string;
  }>(sql`insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at, started_by)
    select ${run.jobId}, 'run', services.id, runners.id, 'queued', 0, ${run.at}, ${JSON.stringify(run.startedBy)}
    from services join runners on runners.id = services.runner_id
    where services.id = ${run.serviceId} and runners.revoked_at is null and ${isLive} and ${openRuns} < ${openRunsMax} and ${condition}
    returning runner_id as runnerId`);
}

/** Condition on `services`. */
export const isLive = sql`exists (select 1 from deployments live where live.service_id = services.id and live.status = 'running')`;
export const openRuns = sql`(select count(*) from runs where runs.service_id = services.id and runs.status in ('queued', 'running'))`;

/** A page of a service's commands, newest first. */
export function selectRuns(db: Database, serviceId: string | SQL, page: Page) {
  const { after, orderBy, limit } = keysetOf({ at: runs.createdAt, key: runs.id }, 'newest', page);
  return db
    .select(runColumns)
    .from(runs)
    .where(and(eq(runs.serviceId, serviceId), after))
    .orderBy(...orderBy)
    .limit(limit);
}

export async function findRun(db: Database, runId: string): Promise<RunRow | undefined> {
  const [row] = await db.select(runColumns).from(runs).where(eq(runs.id, runId));
  return row;
}

/** A run of this service; runs of other services are not found. */
export function selectScopedRun(db: Database, tokenId: string, serviceId: string, runId: string) {
  return db
    .select({
      run: {
        ...columnsAs(runs, 'run'),
        scheduleId: scheduleId.as('run_schedule_id'),
        startedBy: startedByOf(runs.jobId, 'run_started_by'),
      },
      job: columnsAs(jobs, 'job'),
      service: columnsAs(services, 'service'),
      project: columnsAs(projects, 'project'),
    })
    .from(runs)
    .innerJoin(jobs, eq(jobs.id, runs.jobId))
    .innerJoin(services, eq(services.id, runs.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(sql`${runs.id} = ${runId} and ${services.id} = ${serviceId}`)
    .limit(1);
}

export type RunDispatchRows = NonNullable<Awaited<ReturnType<typeof findRunDispatch>>>;

/** Reads the facts for the dispatch of a command. @returns undefined if the job is not active, or no longer, is no command, or nothing is live */
export async function findRunDispatch(db: Database, jobId: string) {
  const [row] = await db
    .select({
      job: jobs,
      run: {
        ...{ id: runs.id, command: runs.command },
        ...{ timeLimitSeconds: runs.timeLimitSeconds, container: runs.container },
      },
      live: {
        id: deployments.id,
        commitSha: deployments.commitSha,
        sealedSnapshot: deployments.sealedSnapshot,
      },
      service: services,
      project: projects,
      quotas: tenants.quotas,
      storedLogBytes: storedLogBytesOf(projects.tenantId).as('stored_log_bytes'),
      sealingKey: runners.sealingKey,
      host: sharedHostColumns,
    })
    .from(jobs)
    .innerJoin(runs, eq(runs.jobId, jobs.id))
    .innerJoin(services, eq(services.id, jobs.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(tenants, eq(tenants.id, projects.tenantId))
    .innerJoin(runners, eq(runners.id, jobs.runnerId))
    .leftJoin(deployments, and(eq(deployments.serviceId, services.id), eq(deployments.status, 'running')))
    .where(and(eq(jobs.id, jobId), eq(jobs.state, 'active')));
  return row;
}
