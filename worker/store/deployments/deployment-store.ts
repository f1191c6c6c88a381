/** Deployments and their jobs, for clients that create and change them. job-store writes the reports of hosts. */
import { and, desc, eq, getTableColumns, inArray, isNull, notInArray, or, type SQL, sql } from 'drizzle-orm';
import type { Initiator } from '../../domain/access/initiator.ts';
import { committedPhases } from '../../domain/jobs/deployment-end.ts';
import { pendingDeploymentStatuses } from '../../domain/jobs/deployment-state.ts';
import type { QueueFacts } from '../../domain/jobs/queue-reason.ts';
import { deployments } from '../schema/deployments.ts';
import { jobs } from '../schema/jobs.ts';
import { services } from '../schema/services.ts';
import { derivedServiceStatus } from '../services/service-status.ts';
import { awaitedPushEnd } from '../sql/awaited-push-end.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';
import { startedByOf } from '../sql/started-by.ts';

export type DeploymentRow = typeof deployments.$inferSelect;
/** A deployment without its snapshot, which is large and secret. */
export type ShownDeployment = Omit<DeploymentRow, 'sealedSnapshot'>;
/** A deployment and who started it; `null` if that was not recorded yet. */
export type StartedDeployment = ShownDeployment & { startedBy: Initiator | null };
/** A deployment with facts from its job. */
export interface DetailedDeployment extends StartedDeployment {
  failureCode: string | null;
  failureMessage: string | null;
  /** The reasons why it waits; null unless it is queued. */
  queue: QueueFacts | null;
}
export type JobRow = typeof jobs.$inferSelect;

export interface NewDeployment {
  id: string;
  jobId: string;
  serviceId: string;
  trigger: DeploymentRow['trigger'];
  /** The deployment whose image a rollback or restart reuses; null for other deployments. */
  sourceDeploymentId: string | null;
  /** Checksum of the uploaded folder to build. If absent: none, or the earlier deployment's. */
  sourceDigest?: string | null;
  startedBy: Initiator;
  /** What the request says about its source. If absent: nothing. */
  named?: NamedSource;
  createdAt: number;
}

/** What a request for a deployment says about its source. */
export interface NamedSource {
  /** Commit id, tag or branch of a repository. */
  ref?: string | undefined;
  /** The commit from which an uploaded folder comes. */
  commitSha?: string | undefined;
  /** The digest to pull instead of the tag of the service's image. */
  imageDigest?: string | undefined;
  /** A line about the version, for sources without commits of their own. */
  commitMessage?: string | undefined;
}

/**
 * Writes the job, the deployment and the service's status in one batch. The job is sent to the service's planned host; a rollback or
 * restart is sent to the current host, which has the image.
 * @returns the host; undefined if it is revoked, the service no longer exists, or the source is no longer stored; nothing was written then
 */
export async function insertDeployment(db: Database, deployment: NewDeployment): Promise<string | undefined> {
  const [[job]] = await db.batch(deploymentStatements(db, deployment, isKept(deployment)));
  return job?.runnerId;
}

/**
 * The statements of `insertDeployment`, for a batch; the first one returns the host.
 * @param condition on `services`; nothing is written if it does not hold
 */
export function deploymentStatements(db: Database, deployment: NewDeployment, condition: SQL) {
  const { id, jobId, serviceId, trigger, sourceDeploymentId, sourceDigest = null } = deployment;
  const { startedBy, createdAt } = deployment;
  const { ref = null, commitSha = null, commitMessage = null, imageDigest = null } = deployment.named ?? {};
  const host = sourceDeploymentId === null ? sql`coalesce(next_runner_id, runner_id)` : sql`runner_id`;
  return [
    db.all<{
      runnerId: string;
    }>(sql`insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at, started_by)
      select ${jobId}, 'deploy', services.id, runners.id, 'queued', 0, ${createdAt}, ${JSON.stringify(startedBy)}
      from services join runners on runners.id = ${host}
      where services.id = ${serviceId} and runners.revoked_at is null and ${condition}
      returning runner_id as runnerId`),
    db.run(sql`insert into deployments (id, service_id, job_id, status, trigger, source_deployment_id, created_at,
        ref, commit_sha, commit_message, commit_author, branch, source_digest, image_digest)
      select ${id}, jobs.service_id, jobs.id, 'queued', ${trigger}, ${sourceDeploymentId}, ${createdAt},
        ${ref}, ${commitSha}, coalesce(source.commit_message, ${commitMessage}), source.commit_author, source.branch, coalesce(source.source_digest, ${sourceDigest}),
        coalesce(source.image_digest, ${imageDigest})
      from jobs left join deployments source on source.id = ${sourceDeploymentId} where jobs.id = ${jobId}`),
    db
      .update(services)
      .set({ status: derivedServiceStatus })
      .where(and(eq(services.id, serviceId), jobIs(jobId, 'queued'))),
    ...awaitedPushEnd(db, deployment),
  ] as const;
}

/** Condition on the source, which must be on the current host with a stored snapshot: for a rollback it ran before, for a restart it is live. */
function isKept({ sourceDeploymentId, trigger }: NewDeployment): SQL {
  if (sourceDeploymentId === null) return sql`true`;
  return sql`exists (select 1 from deployments source join jobs done on done.id = source.job_id
    where source.id = ${sourceDeploymentId} and source.service_id = services.id and source.status = ${trigger === 'restart' ? 'running' : 'superseded'}
      and source.sealed_snapshot is not null and done.runner_id = services.runner_id)`;
}

/**
 * A page of a service's deployments, newest first.
 * @param before a deployment of the service: only older ones are returned. Of two with equal times, the one written later is newer
 */
export function selectNewestDeployments(db: Database, serviceId: string | SQL, page: Page, before?: string) {
  const columns = { at: deployments.createdAt, key: deployments.id };
  const { after, orderBy, limit } = keysetOf(columns, 'newest', page);
  const isOlder = sql`(deployments.created_at, deployments.rowid) <
    (select cursor.created_at, cursor.rowid from deployments cursor where cursor.id = ${before})`;
  return db
    .select(detailed())
    .from(deployments)
    .where(and(eq(deployments.serviceId, serviceId), before === undefined ? after : isOlder))
    .orderBy(...orderBy)
    .limit(limit);
}

/** One deployment, without a check of access. */
export function selectDetailedDeployment(db: Database, deploymentId: string) {
  return db.select(detailed()).from(deployments).where(eq(deployments.id, deploymentId));
}

/** The columns of a `DetailedDeployment`. */
function detailed() {
  const { sealedSnapshot: _, ...shown } = getTableColumns(deployments);
  const job = sql`from jobs where jobs.id = deployments.job_id`;
  return {
    ...shown,
    startedBy: startedByOf(deployments.jobId),
    failureCode: sql<string | null>`(select failure_code ${job})`.as('failure_code'),
    failureMessage: sql<string | null>`(select failure_message ${job})`.as('failure_message'),
    queue: sql<QueueFacts | null>`iif(deployments.status in ('queued', 'building'), (
      select json_object('host', runners.name, 'isConnected', connected_at is not null, 'disconnectedAt', disconnected_at,
        'isDrained', drained, 'trouble', coalesce(facts ->> 'trouble', iif(facts ->> 'dockerVersion' is null, 'Docker does not answer there.', null)),
        'isActive', jobs.state = 'active', 'isServiceBusy', exists (select 1 from jobs other
          where other.service_id = deployments.service_id and other.state = 'active'))
      from jobs join runners on runners.id = jobs.runner_id where jobs.id = deployments.job_id
        and (jobs.state = 'queued' or (jobs.state = 'active' and (connected_at is null or facts ->> 'trouble' is not null)))), null)`
      .mapWith((text: string) => JSON.parse(text) as QueueFacts)
      .as('queue'),
  };
}

/** One row if the deployment belongs to the service. */
export function selectDeploymentId(db: Database, serviceId: string | SQL, deploymentId: string) {
  return db
    .select({ id: deployments.id })
    .from(deployments)
    .where(and(eq(deployments.id, deploymentId), eq(deployments.serviceId, serviceId)));
}

/** The queued or building deployment of a service. */
export async function findUnfinishedDeployment(db: Database, serviceId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ id: deployments.id })
    .from(deployments)
    .where(and(eq(deployments.serviceId, serviceId), inArray(deployments.status, ['queued', 'building'])))
    .orderBy(desc(deployments.createdAt))
    .limit(1);
  return row?.id;
}

export async function findDeployment(
  db: Database,
  deploymentId: string,
): Promise<{ deployment: StartedDeployment; job: JobRow } | undefined> {
  const { sealedSnapshot: _, ...shown } = getTableColumns(deployments);
  const [row] = await db
    .select({ deployment: shown, job: jobs })
    .from(deployments)
    .innerJoin(jobs, eq(jobs.id, deployments.jobId))
    .where(eq(deployments.id, deploymentId));
  return row && { ...row, deployment: { ...row.deployment, startedBy: row.job.startedBy } };
}

/** @returns false if the job is not queued, or no longer; nothing was changed then */
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
      .where(
        and(
          eq(deployments.jobId, jobId),
          // A move whose image is ready already has the status building.
          inArray(deployments.status, [...pendingDeploymentStatuses]),
          jobIs(jobId, 'aborted'),
        ),
      ),
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
 * Requests the abort of an active job that has not reached its commit point. A repeat keeps the first time.
 * The same row holds the phase that grants the switch, so exactly one of abort and switch wins.
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
