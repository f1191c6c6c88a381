/** The part of a move during which the service is down: its image is ready on the new host, and its files are copied. */
import { and, eq, sql } from 'drizzle-orm';
import type { DeployFacts } from '../../../protocol/job-report.ts';
import {
  deploymentFacts,
  type JobWithDeployment,
  stillAs,
  unchanged,
  updateServiceFacts,
} from '../jobs/job-store.ts';
import { addToTenantDay } from '../projects/tenant-day-store.ts';
import { deployments } from '../schema/deployments.ts';
import { jobs } from '../schema/jobs.ts';
import { services } from '../schema/services.ts';
import { volumeMoves } from '../schema/volumes.ts';
import { derivedServiceStatus } from '../services/service-status.ts';
import type { Database } from '../sql/database.ts';

export interface Transfer {
  stopTaskId: string;
  volumes: {
    volumeId: string;
    backupId: string;
    backupJobId: string;
    restoreId: string;
    fillJobId: string;
  }[];
  /** The job that starts the prepared image. */
  deployJobId: string;
  /** The preparation's report. */
  facts: DeployFacts;
  resultId: string;
  at: number;
}

/**
 * Ends the preparation, stops the service and queues the rest of the move: backups on the old host, restores into the new host's volumes, and
 * the start there, which continues the deployment. All jobs have the queue time of the preparation, so that later requests wait.
 * @returns the old host; undefined if the preparation's job has changed since it was read; nothing was written then
 */
export async function beginTransfer(
  db: Database,
  { job, deploymentId }: JobWithDeployment,
  transfer: Transfer,
): Promise<string | undefined> {
  const { volumes, deployJobId, facts, at } = transfer;
  const isMove = and(eq(volumeMoves.serviceId, job.serviceId), sql`status = 'running'`, stillAs(job));
  const [[source]] = await db.batch([
    // Runs before the job's own row changes, which all conditions read.
    db.select({ runnerId: volumeMoves.fromRunnerId }).from(volumeMoves).where(isMove),
    updateServiceFacts(db, job, facts),
    addToTenantDay(db, { jobId: job.id, at, logBytes: facts.logBytes ?? 0 }, stillAs(job)),
    stopTask(db, job, transfer),
    db
      .update(services)
      .set({ stopped: true, reachable: false, crashed: false, trouble: null, sleep: null, updatedAt: at })
      .where(and(eq(services.id, job.serviceId), stillAs(job))),
    // The service's data from an earlier time on this host is replaced, so it must not be removed later.
    db.run(sql`delete from host_tasks where runner_id = ${job.runnerId} and state = 'pending'
      and task ->> 'kind' in ('remove-volume', 'remove-volumes') and task ->> 'serviceId' = ${job.serviceId} and ${stillAs(job)}`),
    ...volumes.flatMap((one) => backupStatements(db, job, one, at)),
    ...volumes.flatMap((one) => fillStatements(db, job, one, at)),
    insertJob(db, job, { id: deployJobId, kind: 'deploy', host: 'to_runner_id' }),
    db
      .update(deployments)
      .set({ ...deploymentFacts(facts), jobId: deployJobId })
      .where(and(eq(deployments.id, deploymentId), stillAs(job))),
    db
      .update(volumeMoves)
      .set({
        jobIds: [
          job.id,
          ...volumes.map(({ backupJobId }) => backupJobId),
          ...volumes.map(({ fillJobId }) => fillJobId),
          deployJobId,
        ],
        volumeIds: volumes.map(({ volumeId }) => volumeId),
      })
      .where(isMove),
    db
      .update(jobs)
      .set({ state: 'succeeded', resultId: transfer.resultId, finishedAt: at })
      .where(unchanged(job)),
    db.update(services).set({ status: derivedServiceStatus }).where(eq(services.id, job.serviceId)),
  ]);
  return source?.runnerId;
}

type Preparation = JobWithDeployment['job'];

/** The row from which the move's jobs are created; none if the preparation has changed. */
const fromMove = (job: Preparation) =>
  sql`from volume_moves where service_id = ${job.serviceId} and status = 'running' and ${stillAs(job)}`;

const insertJob = (
  db: Database,
  job: Preparation,
  { id, kind, host }: { id: string; kind: string; host: 'from_runner_id' | 'to_runner_id' },
) =>
  db.run(sql`insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at, started_by)
    select ${id}, ${kind}, service_id, ${sql.raw(host)}, 'queued', 0, ${job.queuedAt},
      ${job.startedBy && JSON.stringify(job.startedBy)} ${fromMove(job)}`);

function stopTask(db: Database, job: Preparation, { stopTaskId, at }: Transfer) {
  return db.run(sql`insert into host_tasks (id, runner_id, task, state, due_at, created_at)
    select ${stopTaskId}, services.runner_id, json_object('kind', 'stop-service', 'serviceId', services.id,
      'projectId', services.project_id, 'deploymentId', live.id), 'pending', ${at}, ${at}
    from services join deployments live on live.service_id = services.id and live.status = 'running'
    where services.id = ${job.serviceId} and ${stillAs(job)}`);
}

function backupStatements(
  db: Database,
  job: Preparation,
  { volumeId, backupId, backupJobId }: Transfer['volumes'][number],
  at: number,
) {
  return [
    insertJob(db, job, { id: backupJobId, kind: 'backup', host: 'from_runner_id' }),
    db.run(sql`insert into backups (id, service_id, job_id, engine, volume_id, status, trigger, storage, format, size_bytes, checksum,
        created_at, started_at)
      select ${backupId}, jobs.service_id, jobs.id, 'volume', ${volumeId}, 'running', 'move', 'remote', 'tar', 0, '', ${at}, ${at}
      from jobs where jobs.id = ${backupJobId}`),
  ];
}

function fillStatements(
  db: Database,
  job: Preparation,
  { backupId, restoreId, fillJobId }: Transfer['volumes'][number],
  at: number,
) {
  return [
    insertJob(db, job, { id: fillJobId, kind: 'restore', host: 'to_runner_id' }),
    db.run(sql`insert into restores (id, backup_id, service_id, job_id, safety_backup_id, status, created_at)
      select ${restoreId}, ${backupId}, jobs.service_id, jobs.id, '', 'running', ${at} from jobs where jobs.id = ${fillJobId}`),
  ];
}
