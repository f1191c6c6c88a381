/** The end of a job: its own row, its deployment, its service, and what follows for hosts and older deployments, in one batch. */
import { and, eq, inArray, ne, type SQL, sql } from 'drizzle-orm';
import type { DeployFacts } from '../../protocol/job-report.ts';
import { pendingDeploymentStatuses, statusOfEndedJob } from '../domain/deployment-state.ts';
import type { TerminalJobState } from '../domain/job-state.ts';
import { keptVersions } from '../domain/kept-versions.ts';
import { selectHostsWaitingFor } from './claim-store.ts';
import type { Database } from './database.ts';
import {
  deploymentFacts,
  type JobRow,
  type JobWithDeployment,
  stillAs,
  unchanged,
  updateServiceFacts,
} from './job-store.ts';
import { deployments } from './schema/deployments.ts';
import { jobs } from './schema/jobs.ts';
import { services } from './schema/services.ts';
import { insertNamesTasks, raiseRevisions, withCustomDomains } from './service-names-store.ts';
import { derivedServiceStatus } from './service-status.ts';

/** How a job ended. */
export interface JobEnd {
  state: TerminalJobState;
  at: number;
  facts: DeployFacts;
  /** The report that said so; null when the platform ended it. */
  resultId: string | null;
  failure: { code: string; message: string } | null;
  /** For the work that takes the service away from a host that it has left; null where nothing can have moved. */
  moveTaskId: string | null;
}

/**
 * Ends a job, its deployment and, where it succeeded, the reign of the one before: all or nothing.
 * The job's own row goes after all that changes for it: what stands before it applies only while that row is as it was read.
 * @returns the other hosts that have something to do now; undefined when the row is not as it was read: nothing was written.
 */
export async function endJob(
  db: Database,
  ended: JobWithDeployment,
  end: JobEnd,
): Promise<string[] | undefined> {
  const { job } = ended;
  const succeeded = end.state === 'succeeded';
  const [, , , left, , written, , , waiting] = await db.batch([
    endDeployment(db, ended, end),
    supersedeOthers(db, ended, succeeded),
    updateServiceFacts(db, job, end.facts, succeeded ? end.at : undefined),
    leaveOldHost(db, job, end),
    arriveOnNewHost(db, job, succeeded),
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
    insertNamesTasks(db, hasMoved(job, end), [], end.at),
  ]);
  return written.length > 0 ? [...left, ...waiting].map(({ id }) => id) : undefined;
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

/** What the service had on the host before the move goes: it runs on the new one. */
function leaveOldHost(db: Database, job: JobRow, { state, at, moveTaskId }: JobEnd) {
  return db.all<{ id: string }>(sql`insert into host_tasks (id, runner_id, task, state, due_at, created_at)
    select ${moveTaskId}, runner_id, json_object('kind', 'remove-service', 'serviceId', id, 'projectId', project_id,
      'hostnames', json_array(), 'hostPort', host_port), 'pending', ${at}, ${at}
    from services where id = ${job.serviceId} and next_runner_id = ${job.runnerId}
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

/** Its new host is told the names once more: from now on its word on their DNS is the one that counts. */
function hasMoved(job: JobRow, { moveTaskId }: JobEnd): SQL {
  return sql`services.id = ${job.serviceId} and ${withCustomDomains}
    and exists (select 1 from host_tasks where host_tasks.id = ${moveTaskId})`;
}

function ifSucceeded(job: JobRow, succeeded: boolean): SQL {
  return succeeded ? stillAs(job) : sql`0`;
}

/**
 * Of deployments that can't be rolled back to (any more): a dump of the database is to hold no more secrets than are of use.
 * The newest keeps its own even when it failed: an explanation of the failure masks by it what the log may hold.
 */
function dropOldSnapshots(db: Database, serviceId: string) {
  return db.run(sql`update deployments set sealed_snapshot = null
    where service_id = ${serviceId} and sealed_snapshot is not null and status not in ('queued', 'building')
      and id not in (select kept.id from deployments kept join jobs on jobs.id = kept.job_id
        where kept.service_id = ${serviceId} and kept.status in ('running', 'superseded')
          and jobs.runner_id = (select runner_id from services where services.id = ${serviceId})
        order by kept.created_at desc, kept.rowid desc limit ${keptVersions})
      and id <> (select id from deployments where service_id = ${serviceId} order by created_at desc, rowid desc limit 1)
      and id not in (select source_deployment_id from deployments
        where service_id = ${serviceId} and source_deployment_id is not null and status in ('queued', 'building'))`);
}
