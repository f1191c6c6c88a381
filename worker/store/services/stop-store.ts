/** Stopping a service: the flag and the task for its host, in one batch. */
import { sql } from 'drizzle-orm';
import type { NewHostTask } from '../deletions/removal-store.ts';
import { services } from '../schema/services.ts';
import { dropAwaitedPush } from '../sql/awaited-push-end.ts';
import type { Database } from '../sql/database.ts';
import { derivedServiceStatus } from './service-status.ts';

/**
 * Queued or running jobs of the service prevent a stop: a deployment would start it again, and other jobs need the database.
 * @returns the task; undefined if the service is stopped, has no live version or has such a job; nothing was written then
 */
export async function insertStop(
  db: Database,
  { taskId, serviceId, at }: { taskId: string; serviceId: string; at: number },
): Promise<NewHostTask | undefined> {
  const [[row]] = await db.batch([
    db.all<{
      runnerId: string;
      task: string;
    }>(sql`insert into host_tasks (id, runner_id, task, state, due_at, created_at)
      select ${taskId}, services.runner_id, json_object('kind', 'stop-service', 'serviceId', services.id,
        'projectId', services.project_id, 'deploymentId', live.id), 'pending', ${at}, ${at}
      from services join deployments live on live.service_id = services.id and live.status = 'running'
      where services.id = ${serviceId} and services.stopped = 0 and not exists (${openJobs(serviceId)})
      returning runner_id as runnerId, task`),
    db
      .update(services)
      .set({ stopped: true, reachable: false, crashed: false, trouble: null, sleep: null, updatedAt: at })
      .where(stops(serviceId, taskId)),
    db.update(services).set({ status: derivedServiceStatus }).where(stops(serviceId, taskId)),
    // The deployment of a push would start the service again.
    dropAwaitedPush(db, serviceId, sql`exists (select 1 from host_tasks where host_tasks.id = ${taskId})`),
  ]);
  return row && { id: taskId, runnerId: row.runnerId, task: JSON.parse(row.task) };
}

/** The oldest job of a service that has not ended. */
export async function findOpenJob(db: Database, serviceId: string) {
  const [row] = await db.all<{ kind: string; deploymentId: string | null }>(openJobs(serviceId));
  return row;
}

const openJobs = (serviceId: string) => sql`select jobs.kind, deployments.id as deploymentId from jobs
  left join deployments on deployments.job_id = jobs.id
  where jobs.service_id = ${serviceId} and jobs.state in ('queued', 'active') and jobs.kind <> 'run' order by jobs.queued_at limit 1`;

const stops = (serviceId: string, taskId: string) =>
  sql`id = ${serviceId} and exists (select 1 from host_tasks where host_tasks.id = ${taskId})`;
