/** Ends a deployment's job: its own row, its deployment, its service, and the effects on hosts and older deployments, in one batch. */
import { and, eq, inArray, ne, type SQL, sql } from 'drizzle-orm';
import type { DeployFacts } from '../../../protocol/job-report.ts';
import type { EventType } from '../../domain/alerts/events.ts';
import { keptVersions } from '../../domain/deployments/kept-versions.ts';
import { pendingDeploymentStatuses, statusOfEndedJob } from '../../domain/jobs/deployment-state.ts';
import type { TerminalJobState } from '../../domain/jobs/job-state.ts';
import { type NewEvent, raiseEvent } from '../alerts/event-store.ts';
import { insertNamesTasks, raiseRevisions, withCustomDomains } from '../domains/service-names-store.ts';
import { addToTenantDay } from '../projects/tenant-day-store.ts';
import { deployments } from '../schema/deployments.ts';
import { jobs } from '../schema/jobs.ts';
import { services } from '../schema/services.ts';
import { derivedServiceStatus } from '../services/service-status.ts';
import type { Database } from '../sql/database.ts';
import { selectHostsWaitingFor } from './claim-store.ts';
import {
  deploymentFacts,
  type JobRow,
  type JobWithDeployment,
  stillAs,
  unchanged,
  updateServiceFacts,
} from './job-store.ts';

export interface JobEnd {
  state: TerminalJobState;
  at: number;
  facts: DeployFacts;
  /** The report that ended the job; null if the platform ended it. */
  resultId: string | null;
  failure: { code: string; message: string } | null;
  /** Id of the task that removes a moved service from its old host; null if it can't have moved. */
  moveTaskId: string | null;
}

/**
 * Ends a job and its deployment; if it succeeded, it also supersedes the previous deployment. All or nothing. The job's own row is
 * written last, because the other statements apply only while it is unchanged.
 * @returns other hosts that now have work; undefined if the row has changed since it was read; nothing was written then
 */
export async function endJob(
  db: Database,
  ended: JobWithDeployment,
  end: JobEnd,
): Promise<string[] | undefined> {
  const { job } = ended;
  const succeeded = end.state === 'succeeded';
  const [, , , left, , , written, , , waiting] = await db.batch([
    endDeployment(db, ended, end),
    supersedeOthers(db, ended, succeeded),
    updateServiceFacts(db, job, end.facts, succeeded ? end.at : undefined),
    removeFromOldHost(db, job, end),
    arriveOnNewHost(db, job, succeeded),
    addToTenantDay(db, { jobId: job.id, at: end.at, logBytes: end.facts.logBytes ?? 0 }, stillAs(job)),
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
    dropOldSnapshots(db, job.serviceId),
    selectHostsWaitingFor(db, job),
    raiseRevisions(db, hasMoved(job, end)),
    insertNamesTasks(db, hasMoved(job, end), { taskId: end.moveTaskId, changed: [], now: end.at }),
    ...outcomeEvent(db, ended, end),
  ]);
  return written.length > 0 ? [...left, ...waiting].map(({ id }) => id) : undefined;
}

/** Raises the event of a failed deployment, of the first success of a service, or of the first one after a failure; once per job. */
function outcomeEvent(
  db: Database,
  { job, deploymentId }: JobWithDeployment,
  { state, at, failure }: JobEnd,
) {
  if (state !== 'failed' && state !== 'succeeded') return [];
  const isFirst = sql`not exists (select 1 from deployments where service_id = ${job.serviceId} and id <> ${deploymentId}
    and status in ('running', 'superseded'))`;
  const isAfterFailure = sql`'failed' = (select status from deployments where service_id = ${job.serviceId} and id <> ${deploymentId}
    and status in ('running', 'superseded', 'failed') order by created_at desc, id desc limit 1)`;
  const type = sql<EventType>`iif(${isFirst}, 'deployment.first_success', 'deployment.recovered')`;
  const isNews = state === 'failed' ? sql`true` : sql`(${isFirst} or ${isAfterFailure})`;
  const event: NewEvent = {
    ...{ id: `evt_${job.id.slice('job_'.length)}`, serviceId: job.serviceId, jobId: job.id, at },
    type: state === 'failed' ? 'deployment.failed' : type,
    resourceId: deploymentId,
    trigger: sql`(select trigger from deployments where id = ${deploymentId})`,
    error: failure?.message ?? null,
    audit: { ...(failure && { reason: failure.code }), status: state === 'failed' ? 500 : 200 },
  };
  const hasEnded = sql`exists (select 1 from jobs where id = ${job.id} and state = ${state})`;
  return raiseEvent(db, event, sql`${hasEnded} and ${isNews}`);
}

function endDeployment(db: Database, { job, deploymentId }: JobWithDeployment, end: JobEnd) {
  return db
    .update(deployments)
    .set({
      ...deploymentFacts(end.facts),
      status: statusOfEndedJob[end.state],
      finishedAt: end.at,
      ...(end.state === 'succeeded'
        ? { startedAt: sql`coalesce(${deployments.startedAt}, ${job.claimedAt})` }
        : {}),
    })
    .where(
      and(
        eq(deployments.id, deploymentId),
        inArray(deployments.status, [...pendingDeploymentStatuses]),
        stillAs(job),
      ),
    );
}

function supersedeOthers(db: Database, { job, deploymentId }: JobWithDeployment, succeeded: boolean) {
  return db
    .update(deployments)
    .set({ status: 'superseded' })
    .where(
      and(
        eq(deployments.serviceId, job.serviceId),
        eq(deployments.status, 'running'),
        ne(deployments.id, deploymentId),
        ifSucceeded(job, succeeded),
      ),
    );
}

/** Creates the task that removes a moved service from its old host. */
function removeFromOldHost(db: Database, job: JobRow, { state, at, moveTaskId }: JobEnd) {
  return db.all<{ id: string }>(sql`insert into host_tasks (id, runner_id, task, state, due_at, created_at)
    select ${moveTaskId}, runner_id, json_object('kind', 'remove-service', 'serviceId', id, 'projectId', project_id,
      'hostnames', json_array(), 'hostPort', host_port, 'keepsLogs', json('true')), 'pending', ${at}, ${at}
    from services where id = ${job.serviceId} and next_runner_id = ${job.runnerId} and next_runner_id <> runner_id
      and ${ifSucceeded(job, state === 'succeeded' && moveTaskId !== null)}
    returning runner_id as id`);
}

function arriveOnNewHost(db: Database, job: JobRow, succeeded: boolean) {
  return db
    .update(services)
    .set({
      runnerId: job.runnerId,
      hostPort: sql`coalesce(${services.nextHostPort}, ${services.hostPort})`,
      nextRunnerId: null,
      nextHostPort: null,
    })
    .where(
      and(
        eq(services.id, job.serviceId),
        eq(services.nextRunnerId, job.runnerId),
        ifSucceeded(job, succeeded),
      ),
    );
}

/** Condition on `services`: the service has just moved. Its new host gets the names again, because it is now responsible for their DNS state. */
function hasMoved(job: JobRow, { moveTaskId }: JobEnd): SQL {
  return sql`services.id = ${job.serviceId} and ${withCustomDomains}
    and exists (select 1 from host_tasks where host_tasks.id = ${moveTaskId})`;
}

function ifSucceeded(job: JobRow, succeeded: boolean): SQL {
  return succeeded ? stillAs(job) : sql`0`;
}

/**
 * Deletes snapshots of deployments that can't be rolled back to, so that a dump of D1 contains no unneeded secrets.
 * The newest deployment keeps its snapshot even if it failed, because an explanation needs it to mask secrets in the log.
 */
function dropOldSnapshots(db: Database, serviceId: string) {
  const ran = sql`from deployments kept join jobs on jobs.id = kept.job_id
    where kept.service_id = ${serviceId} and kept.status in ('running', 'superseded')
      and jobs.runner_id = (select runner_id from services where services.id = ${serviceId})`;
  const newest = sql`order by kept.created_at desc, kept.rowid desc limit ${keptVersions}`;
  return db.run(sql`update deployments set sealed_snapshot = null
    where service_id = ${serviceId} and sealed_snapshot is not null and status not in ('queued', 'building')
      and id not in (select id from (select kept.id ${ran} ${newest}))
      and id not in (select id from (select kept.id ${ran} and kept.trigger <> 'restart' ${newest}))
      and id <> (select id from deployments where service_id = ${serviceId} order by created_at desc, rowid desc limit 1)
      and id not in (select source_deployment_id from deployments
        where service_id = ${serviceId} and source_deployment_id is not null and status in ('queued', 'building'))`);
}
