/**
 * Changes of jobs by their hosts. domain/job-state's `transition` decides; a statement here writes the result only if the row has not
 * changed since it was read. Changes by clients are in deployment-store.
 */
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { DeployFacts } from '../../../protocol/job-report.ts';
import { knownSourceFiles } from '../../../protocol/sources/source-files.ts';
import { pendingDeploymentStatuses } from '../../domain/jobs/deployment-state.ts';
import type { JobSituation } from '../../domain/jobs/job-state.ts';
import { deployments } from '../schema/deployments.ts';
import { jobs } from '../schema/jobs.ts';
import { runs } from '../schema/runs.ts';
import { services } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';
import { type HostTaskRow, selectDueHostTasks } from './host-task-store.ts';

export type JobRow = typeof jobs.$inferSelect;

export interface FoundJob {
  job: JobRow;
  /** The deployment of this job, whose log it writes; `null` for other jobs. */
  deploymentId: string | null;
  /** The run of this job, whose log it writes; otherwise `null`. */
  runId: string | null;
  /** Whether its success begins the next part of a move instead of ending its deployment. */
  isPreparation: boolean;
}

export interface JobWithDeployment extends FoundJob {
  deploymentId: string;
}

export const hasDeployment = (found: FoundJob): found is JobWithDeployment => found.deploymentId !== null;

export async function findJob(db: Database, jobId: string): Promise<FoundJob | undefined> {
  const [row] = await selectJobs(db, eq(jobs.id, jobId));
  return row;
}

/** Selects jobs with their deployments or runs. The ids have separate names, because a batch returns rows by column name. */
export function selectJobs(db: Database, condition: SQL) {
  return db
    .select({
      job: jobs,
      deploymentId: sql<string | null>`${deployments.id}`.as('deployment_id'),
      runId: sql<string | null>`${runs.id}`.as('run_id'),
      isPreparation:
        sql<boolean>`exists (select 1 from volume_moves where volume_moves.service_id = ${jobs.serviceId}
        and volume_moves.status = 'running' and volume_moves.job_ids = json_array(${jobs.id}))`
          .mapWith(Boolean)
          .as('is_preparation'),
    })
    .from(jobs)
    .leftJoin(deployments, eq(deployments.jobId, jobs.id))
    .leftJoin(runs, eq(runs.jobId, jobs.id))
    .where(condition);
}

/**
 * Reads the work of a host: its active jobs, tasks that are due, and whether jobs wait for it. First requests the abort of drills that another job on
 * the same database waits for.
 */
export async function readHostWork(
  db: Database,
  { runnerId, now, tasksMax }: { runnerId: string; now: number; tasksMax: number },
): Promise<{ active: JobRow[]; dueTasks: HostTaskRow[]; hasQueued: boolean; isStarted: boolean }> {
  const [, active, dueTasks, queued, troubled] = await db.batch([
    db.run(sql`update jobs set abort_requested_at = ${now} where runner_id = ${runnerId} and state = 'active'
      and kind = 'drill' and abort_requested_at is null and exists (select 1 from jobs waiting
        where waiting.service_id = jobs.service_id and waiting.kind not in ('drill', 'run')
          and waiting.state in ('queued', 'active') and waiting.state = 'queued')`),
    db
      .select()
      .from(jobs)
      .where(and(eq(jobs.runnerId, runnerId), eq(jobs.state, 'active')))
      .orderBy(asc(jobs.claimedAt)),
    selectDueHostTasks(db, { runnerId, now, limit: tasksMax }),
    selectQueued(db, runnerId),
    db.all(sql`select 1 from runners where id = ${runnerId} and facts ->> 'trouble' is not null`),
  ]);
  return { active, dueTasks, hasQueued: queued.length > 0, isStarted: troubled.length === 0 };
}

/** Selects one row if jobs wait for the host. */
export function selectQueued(db: Database, runnerId: string) {
  return db.all(sql`select 1 from jobs where runner_id = ${runnerId}
    and state in ('queued', 'active') and state = 'queued' limit 1`);
}

/** Writes the permission to switch. @returns false if the job has changed since it was read */
export async function writePhase(db: Database, job: JobRow, to: JobSituation): Promise<boolean> {
  const written = await db
    .update(jobs)
    .set({ phase: to.phase })
    .where(unchanged(job))
    .returning({ id: jobs.id });
  return written.length > 0;
}

/** Writes a runner's progress report. @returns false if the job has changed since it was read; nothing was written then */
export async function writeProgress(
  db: Database,
  { job, deploymentId }: JobWithDeployment,
  progress: { to: JobSituation; facts: DeployFacts; at: number },
): Promise<boolean> {
  const { to, facts, at } = progress;
  const [, , written] = await db.batch([
    db
      .update(deployments)
      .set({
        ...deploymentFacts(facts),
        status: 'building',
        startedAt: sql`coalesce(${deployments.startedAt}, ${at})`,
      })
      .where(
        and(
          eq(deployments.id, deploymentId),
          inArray(deployments.status, [...pendingDeploymentStatuses]),
          stillAs(job),
        ),
      ),
    updateServiceFacts(db, job, facts),
    db.update(jobs).set({ phase: to.phase }).where(unchanged(job)).returning({ id: jobs.id }),
  ]);
  return written.length > 0;
}

/** Columns for facts that a runner reports as soon as they are known. */
export function deploymentFacts(facts: DeployFacts) {
  return {
    ...(facts.commitSha === undefined ? {} : { commitSha: facts.commitSha }),
    ...(facts.commitMessage === undefined ? {} : { commitMessage: facts.commitMessage }),
    ...(facts.commitAuthor === undefined ? {} : { commitAuthor: facts.commitAuthor }),
    ...(facts.branch === undefined ? {} : { branch: facts.branch }),
    ...(facts.imageTag === undefined ? {} : { imageTag: facts.imageTag }),
    ...(facts.imageDigest === undefined ? {} : { imageDigest: facts.imageDigest }),
    ...(facts.containerName === undefined ? {} : { containerName: facts.containerName }),
  };
}

/** Written only after a change, because rewriting a row with the same values costs as much as a new one. */
export function updateServiceFacts(db: Database, job: JobRow, facts: DeployFacts, deployedAt?: number) {
  const detectedBuildMethod = facts.detectedBuildMethod ?? null;
  const framework = facts.framework ?? null;
  const suggestedKeys = facts.suggestedKeys === undefined ? null : JSON.stringify(facts.suggestedKeys);
  const sourceFiles =
    facts.sourceFiles === undefined ? null : JSON.stringify(knownSourceFiles(facts.sourceFiles));
  const differs: SQL =
    deployedAt === undefined
      ? sql`(${services.detectedBuildMethod} is not coalesce(${detectedBuildMethod}, ${services.detectedBuildMethod})
          or ${services.framework} is not coalesce(${framework}, ${services.framework})
          or ${services.suggestedKeys} is not coalesce(${suggestedKeys}, ${services.suggestedKeys})
          or ${services.sourceFiles} is not coalesce(${sourceFiles}, ${services.sourceFiles}))`
      : sql`1`;
  return db
    .update(services)
    .set({
      detectedBuildMethod: sql`coalesce(${detectedBuildMethod}, ${services.detectedBuildMethod})`,
      framework: sql`coalesce(${framework}, ${services.framework})`,
      suggestedKeys: sql`coalesce(${suggestedKeys}, ${services.suggestedKeys})`,
      sourceFiles: sql`coalesce(${sourceFiles}, ${services.sourceFiles})`,
      // The health check has just reached the service; the host's next observation confirms or corrects this.
      ...(deployedAt === undefined
        ? {}
        : {
            lastDeployedAt: deployedAt,
            stopped: false,
            crashed: false,
            trouble: null,
            sleep: null,
            reachable: true,
          }),
    })
    .where(and(eq(services.id, job.serviceId), differs, stillAs(job)));
}

/** Condition on `jobs`: the deciding columns of the job's row have not changed since it was read. */
export function unchanged(job: JobRow): SQL {
  return sql`id = ${job.id} and state = ${job.state} and epoch = ${job.epoch}
    and phase is ${job.phase} and abort_requested_at is ${job.abortRequestedAt}`;
}

/** The same as a condition for another table's row. */
export function stillAs(job: JobRow): SQL {
  return sql`exists (select 1 from jobs where ${unchanged(job)})`;
}
