/** Deployments and the jobs that carry them out, as far as clients change them; what hosts report is the job store's. */
import { and, desc, eq, getTableColumns, isNull, notInArray, or, sql } from 'drizzle-orm';
import { committedPhases } from '../domain/deployment-end.ts';
import type { Database } from './database.ts';
import { deployments } from './schema/deployments.ts';
import { jobs } from './schema/jobs.ts';
import { services } from './schema/services.ts';
import { derivedServiceStatus } from './service-status.ts';

export type DeploymentRow = typeof deployments.$inferSelect;
/** A deployment without its snapshot, which is large and secret. */
export type ShownDeployment = Omit<DeploymentRow, 'sealedSnapshot'>;
export type JobRow = typeof jobs.$inferSelect;

export interface NewDeployment {
  id: string;
  jobId: string;
  serviceId: string;
  trigger: DeploymentRow['trigger'];
  createdAt: number;
}

/** The list is paged by cursor later; until then the newest ones must do. */
const listMax = 500;

/**
 * Writes job, deployment and the service's status in one batch. The job goes to the service's host.
 * @returns false when that host is revoked or the service is gone: nothing was written.
 */
export async function insertDeployment(db: Database, deployment: NewDeployment): Promise<boolean> {
  const { id, jobId, serviceId, trigger, createdAt } = deployment;
  const [job] = await db.batch([
    db.run(sql`insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at)
      select ${jobId}, 'deploy', services.id, runners.id, 'queued', 0, ${createdAt}
      from services join runners on runners.id = services.runner_id
      where services.id = ${serviceId} and runners.revoked_at is null`),
    db.run(sql`insert into deployments (id, service_id, job_id, status, trigger, created_at)
      select ${id}, service_id, id, 'queued', ${trigger}, ${createdAt} from jobs where id = ${jobId}`),
    db
      .update(services)
      .set({ status: derivedServiceStatus })
      .where(and(eq(services.id, serviceId), jobIs(jobId, 'queued'))),
  ]);
  return job.meta.changes > 0;
}

/** A service's deployments, newest first. */
export function listDeployments(db: Database, serviceId: string): Promise<ShownDeployment[]> {
  return selectNewestDeployments(db, serviceId, listMax).execute();
}

/** The same as a statement, for batches. */
export function selectNewestDeployments(db: Database, serviceId: string, limit: number) {
  const { sealedSnapshot: _, ...shown } = getTableColumns(deployments);
  return db
    .select(shown)
    .from(deployments)
    .where(eq(deployments.serviceId, serviceId))
    .orderBy(desc(deployments.createdAt), desc(sql`deployments.rowid`))
    .limit(limit);
}

export async function findDeployment(
  db: Database,
  deploymentId: string,
): Promise<{ deployment: DeploymentRow; job: JobRow } | undefined> {
  const [row] = await db
    .select({ deployment: deployments, job: jobs })
    .from(deployments)
    .innerJoin(jobs, eq(jobs.id, deployments.jobId))
    .where(eq(deployments.id, deploymentId));
  return row;
}

/** @returns false when the job is not queued (any more): nothing was changed. */
export async function abortQueued(db: Database, jobId: string, now: number): Promise<boolean> {
  const [aborted] = await db.batch([
    db
      .update(jobs)
      .set({ state: 'aborted', abortRequestedAt: now, finishedAt: now })
      .where(and(eq(jobs.id, jobId), eq(jobs.state, 'queued')))
      .returning({ id: jobs.id }),
    db
      .update(deployments)
      .set({ status: 'aborted', finishedAt: now })
      .where(and(eq(deployments.jobId, jobId), eq(deployments.status, 'queued'), jobIs(jobId, 'aborted'))),
    db
      .update(services)
      .set({ status: derivedServiceStatus })
      .where(
        and(
          eq(services.id, sql`(select service_id from jobs where id = ${jobId})`),
          jobIs(jobId, 'aborted'),
          eq(services.status, 'queued'),
        ),
      ),
  ]);
  return aborted.length > 0;
}

/**
 * Asks for the abort of a job that is at work and not committed. A repeat keeps the first moment.
 * The same row holds the phase that grants the switch, so that of abort and switch exactly one wins.
 */
export async function requestAbort(db: Database, jobId: string, now: number): Promise<boolean> {
  const asked = await db
    .update(jobs)
    .set({ abortRequestedAt: sql`coalesce(${jobs.abortRequestedAt}, ${now})` })
    .where(
      and(
        eq(jobs.id, jobId),
        eq(jobs.state, 'active'),
        or(isNull(jobs.phase), notInArray(jobs.phase, [...committedPhases])),
      ),
    )
    .returning({ id: jobs.id });
  return asked.length > 0;
}

function jobIs(jobId: string, state: JobRow['state']) {
  return sql`exists (select 1 from jobs where jobs.id = ${jobId} and jobs.state = ${state})`;
}
