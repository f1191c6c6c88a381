/**
 * Jobs as their hosts carry them out. What decides is domain/job-state's `transition`; a statement here writes its answer only over
 * the very row that was asked about, so that a row that moved meanwhile is left alone. What clients do to jobs: deployment-store.
 */
import { and, asc, eq, inArray, ne, type SQL, sql } from 'drizzle-orm';
import type { DeployFacts } from '../../protocol/job-report.ts';
import { pendingDeploymentStatuses, statusOfEndedJob } from '../domain/deployment-state.ts';
import type { JobSituation, TerminalJobState } from '../domain/job-state.ts';
import type { Database } from './database.ts';
import { deployments } from './schema/deployments.ts';
import { jobs } from './schema/jobs.ts';
import { services } from './schema/services.ts';
import { derivedServiceStatus } from './service-status.ts';

export type JobRow = typeof jobs.$inferSelect;

export interface JobWithDeployment {
  job: JobRow;
  deploymentId: string;
}

/** How a job ended. */
export interface JobEnd {
  state: TerminalJobState;
  at: number;
  facts: DeployFacts;
  /** The report that said so; null when the platform ended it. */
  resultId: string | null;
  failure: { code: string; message: string } | null;
}

export async function findJob(db: Database, jobId: string): Promise<JobWithDeployment | undefined> {
  const [row] = await db
    .select({ job: jobs, deploymentId: deployments.id })
    .from(jobs)
    .innerJoin(deployments, eq(deployments.jobId, jobs.id))
    .where(eq(jobs.id, jobId));
  return row;
}

/** The jobs that a host is to be doing now. */
export function listActiveJobs(db: Database, runnerId: string): Promise<JobRow[]> {
  return db
    .select()
    .from(jobs)
    .where(and(eq(jobs.runnerId, runnerId), eq(jobs.state, 'active')))
    .orderBy(asc(jobs.claimedAt));
}

/**
 * Claims the oldest job of a host that may start: fewer than `limit` are active there, none of the same service, the host takes jobs.
 * One statement, so that two claimers never take the same job or pass the limit; the unique index on active jobs stands behind it.
 * @returns its id; undefined when there is none.
 */
export async function claimNextJob(
  db: Database,
  claim: { runnerId: string; at: number; deadlineAt: number; limit: number },
): Promise<string | undefined> {
  const { runnerId, at, deadlineAt, limit } = claim;
  const next = sql`(select next.id from jobs next
    where next.runner_id = ${runnerId} and next.state = 'queued'
      and not exists (select 1 from jobs busy where busy.service_id = next.service_id and busy.state = 'active')
    order by next.queued_at, next.rowid limit 1)`;
  const [claimed] = await db.batch([
    db
      .update(jobs)
      .set({
        state: 'active',
        phase: null,
        epoch: sql`${jobs.epoch} + 1`,
        claimedAt: at,
        deadlineAt,
      })
      .where(
        and(
          eq(jobs.id, next),
          sql`(select count(*) from jobs held where held.runner_id = ${runnerId} and held.state = 'active') < ${limit}`,
          sql`exists (select 1 from runners where id = ${runnerId} and drained = 0 and revoked_at is null)`,
        ),
      )
      .returning({ id: jobs.id }),
    db
      .update(services)
      .set({ status: derivedServiceStatus })
      .where(
        inArray(
          services.id,
          sql`(select service_id from jobs where runner_id = ${runnerId} and state = 'active' and claimed_at = ${at})`,
        ),
      ),
  ]);
  return claimed[0]?.id;
}

/** Writes the permission to switch. @returns false when the job has changed since it was read. */
export async function writePhase(db: Database, job: JobRow, to: JobSituation): Promise<boolean> {
  const written = await db
    .update(jobs)
    .set({ phase: to.phase })
    .where(unchanged(job))
    .returning({ id: jobs.id });
  return written.length > 0;
}

/** Writes what a runner reported on the way. @returns false when the job has changed since it was read: nothing was written. */
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

/**
 * Ends a job, its deployment and, where it succeeded, the reign of the one before: all or nothing.
 * The job's own row goes last: what stands before it applies only while that row is as it was read.
 * @returns false when it is not any more: nothing was written.
 */
export async function endJob(db: Database, ended: JobWithDeployment, end: JobEnd): Promise<boolean> {
  const { job, deploymentId } = ended;
  const succeeded = end.state === 'succeeded';
  const [, , , written] = await db.batch([
    db
      .update(deployments)
      .set({
        ...deploymentFacts(end.facts),
        status: statusOfEndedJob[end.state],
        finishedAt: end.at,
        ...(succeeded ? { startedAt: sql`coalesce(${deployments.startedAt}, ${job.claimedAt})` } : {}),
      })
      .where(
        and(
          eq(deployments.id, deploymentId),
          inArray(deployments.status, [...pendingDeploymentStatuses]),
          stillAs(job),
        ),
      ),
    db
      .update(deployments)
      .set({ status: 'superseded' })
      .where(
        and(
          eq(deployments.serviceId, job.serviceId),
          eq(deployments.status, 'running'),
          ne(deployments.id, deploymentId),
          succeeded ? stillAs(job) : sql`0`,
        ),
      ),
    updateServiceFacts(db, job, end.facts, succeeded ? end.at : undefined),
    db
      .update(jobs)
      .set({
        state: end.state,
        resultId: end.resultId,
        finishedAt: end.at,
        failureCode: end.failure?.code ?? null,
        failureMessage: end.failure?.message ?? null,
      })
      .where(unchanged(job))
      .returning({ id: jobs.id }),
    db.update(services).set({ status: derivedServiceStatus }).where(eq(services.id, job.serviceId)),
  ]);
  return written.length > 0;
}

function deploymentFacts(facts: DeployFacts) {
  return {
    ...(facts.commitSha === undefined ? {} : { commitSha: facts.commitSha }),
    ...(facts.imageTag === undefined ? {} : { imageTag: facts.imageTag }),
    ...(facts.containerName === undefined ? {} : { containerName: facts.containerName }),
  };
}

/** Written only where something differs: a row that is written again with the same values costs as much as a new one. */
function updateServiceFacts(db: Database, job: JobRow, facts: DeployFacts, deployedAt?: number) {
  const detectedBuildMethod = facts.detectedBuildMethod ?? null;
  const framework = facts.framework ?? null;
  const differs: SQL =
    deployedAt === undefined
      ? sql`(${services.detectedBuildMethod} is not coalesce(${detectedBuildMethod}, ${services.detectedBuildMethod})
          or ${services.framework} is not coalesce(${framework}, ${services.framework}))`
      : sql`1`;
  return db
    .update(services)
    .set({
      detectedBuildMethod: sql`coalesce(${detectedBuildMethod}, ${services.detectedBuildMethod})`,
      framework: sql`coalesce(${framework}, ${services.framework})`,
      ...(deployedAt === undefined ? {} : { lastDeployedAt: deployedAt }),
    })
    .where(and(eq(services.id, job.serviceId), differs, stillAs(job)));
}

/** The job's row is as it was read, in all that decides about it. */
function unchanged(job: JobRow): SQL {
  return sql`id = ${job.id} and state = ${job.state} and epoch = ${job.epoch}
    and phase is ${job.phase} and abort_requested_at is ${job.abortRequestedAt}`;
}

/** The same as a condition on another table's row. */
function stillAs(job: JobRow): SQL {
  return sql`exists (select 1 from jobs where ${unchanged(job)})`;
}
