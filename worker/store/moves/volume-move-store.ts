/**
 * Moves of services with volumes. One batch queues the preparation of the image on the new host. After its success, a second batch stops
 * the service and queues the rest (volume-transfer-store). A third batch ends the move: the service belongs to its new host, or starts
 * again on the old one.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { ServiceTrouble } from '../../../protocol/service-trouble.ts';
import { type NewEvent, raiseEvent } from '../alerts/event-store.ts';
import { deploymentStatements, type NewDeployment } from '../deployments/deployment-store.ts';
import { jobs } from '../schema/jobs.ts';
import { runners } from '../schema/runners.ts';
import { services } from '../schema/services.ts';
import { volumeMoves } from '../schema/volumes.ts';
import { derivedServiceStatus } from '../services/service-status.ts';
import {
  type PortBlock,
  portOnHost,
  redirectQueuedJobs,
  type ServiceRow,
} from '../services/service-store.ts';
import { isNotMoving } from '../services/volume-hold.ts';
import type { Database } from '../sql/database.ts';

export type VolumeMoveRow = typeof volumeMoves.$inferSelect;

export interface NewVolumeMove {
  id: string;
  service: Pick<ServiceRow, 'id' | 'hostPort'>;
  fromRunnerId: string;
  to: { id: string; ports: PortBlock };
  /** Its job prepares the image on the new host; the next steps are queued after its success (volume-transfer-store). */
  deployment: NewDeployment;
  at: number;
}

/**
 * Queues the preparation of a move.
 * @returns false if the service is stopped, not live or busy, is no longer on its host, or the other host has no free port or is revoked; nothing was
 *   written then
 */
export async function insertVolumeMove(db: Database, move: NewVolumeMove): Promise<boolean> {
  const { service, to, at } = move;
  const begun = sql`exists (select 1 from volume_moves where volume_moves.id = ${move.id})`;
  const port = portOnHost(service, to.id, to.ports);
  const [written] = await db.batch([
    insertMove(db, move, port),
    db
      .update(services)
      .set({ nextRunnerId: to.id, nextHostPort: port, updatedAt: at })
      .where(and(eq(services.id, service.id), begun)),
    ...deploymentStatements(db, move.deployment, begun),
  ]);
  return written.length > 0;
}

function insertMove(
  db: Database,
  { id, service, fromRunnerId, to, deployment, at }: NewVolumeMove,
  port: SQL,
) {
  return db.all<{
    id: string;
  }>(sql`insert into volume_moves (id, service_id, from_runner_id, to_runner_id, job_ids, volume_ids,
      status, created_at)
    select ${id}, services.id, ${fromRunnerId}, target.id, json_array(${deployment.jobId}), json_array(), 'running', ${at}
    from services join runners target on target.id = ${to.id} join runners source on source.id = services.runner_id
    where services.id = ${service.id} and services.runner_id = ${fromRunnerId} and services.stopped = 0
      and target.revoked_at is null and source.revoked_at is null and ${port} is not null and ${isNotMoving}
      and exists (select 1 from deployments live where live.service_id = services.id and live.status = 'running')
      and not exists (select 1 from jobs where jobs.service_id = services.id and jobs.state in ('queued', 'active') and jobs.kind <> 'run')
    returning id`);
}

/** The unfinished move of a service. */
export async function findRunningMove(db: Database, serviceId: string): Promise<VolumeMoveRow | undefined> {
  const [row] = await db
    .select()
    .from(volumeMoves)
    .where(and(eq(volumeMoves.serviceId, serviceId), sql`status = 'running'`));
  return row;
}

/** Some of the unfinished moves, in random order, so that those of one tenant do not delay the others. */
export const listRunningMoves = (db: Database, limit: number): Promise<VolumeMoveRow[]> =>
  db.select().from(volumeMoves).where(sql`status = 'running'`).orderBy(sql`random()`).limit(limit);

/** The jobs of a move in order, each with whether its host is disconnected, and since when. */
export async function readMoveJobs(db: Database, { jobIds }: VolumeMoveRow) {
  const found = await db
    .select({
      id: jobs.id,
      state: jobs.state,
      failureMessage: jobs.failureMessage,
      runnerId: jobs.runnerId,
      connectedAt: runners.connectedAt,
      disconnectedAt: runners.disconnectedAt,
    })
    .from(jobs)
    .innerJoin(runners, eq(runners.id, jobs.runnerId))
    .where(sql`${jobs.id} in (select value from json_each(${JSON.stringify(jobIds)}))`);
  return jobIds.flatMap((id) => found.find((one) => one.id === id) ?? []);
}

/** Number of a service's volumes that a running move has not filled on this host yet. */
export async function countUnfilled(
  db: Database,
  { serviceId, runnerId }: { serviceId: string; runnerId: string },
): Promise<number> {
  const [row] = await db.all<{
    count: number;
  }>(sql`select count(*) as count from volumes where service_id = ${serviceId}
    and not exists (select 1 from volume_moves move join json_each(move.job_ids) own join restores on restores.job_id = own.value
      join backups on backups.id = restores.backup_id
      where move.service_id = volumes.service_id and move.status = 'running' and move.to_runner_id = ${runnerId}
        and backups.volume_id = volumes.id and restores.status = 'succeeded')`);
  return row?.count ?? 0;
}

/** Ends a successful move: the service runs on its new host. Its old data remains on the old host until `until`. */
export async function endSucceededMove(
  db: Database,
  { id, serviceId, fromRunnerId, volumeIds }: VolumeMoveRow,
  { taskIds, at, until }: { taskIds: readonly string[]; at: number; until: number },
): Promise<void> {
  const removals = volumeIds.map((volumeId, index) =>
    removeVolumeTask(db, {
      ...{ taskId: taskIds[index] ?? '', moveId: id, serviceId, runnerId: fromRunnerId, volumeId, at, until },
    }),
  );
  const [first = endMove(db, id, 'succeeded', at), ...others] = [
    ...removals,
    endMove(db, id, 'succeeded', at),
  ];
  await db.batch([first, ...others]);
}

/**
 * Ends a failed move: the service continues, or starts again, on its old host, and the new host removes its data; a failed preparation has
 * left none. The restart is one of the move's jobs, so that a drained host accepts it.
 */
export async function endFailedMove(
  db: Database,
  { id, serviceId, toRunnerId, volumeIds, jobIds }: VolumeMoveRow,
  ending: {
    taskIds: readonly string[];
    removalTaskId: string;
    eventId: string;
    restart: NewDeployment | undefined;
    at: number;
  },
): Promise<void> {
  const { taskIds, removalTaskId, eventId, restart, at } = ending;
  const isRunning = sql`exists (select 1 from volume_moves where volume_moves.id = ${id} and volume_moves.status = 'running')`;
  const isIdle = sql`services.stopped = 1 and not exists (select 1 from jobs other where other.service_id = services.id
    and other.state in ('queued', 'active') and other.kind = 'deploy')`;
  await db.batch([
    db.run(sql`insert into host_tasks (id, runner_id, task, state, due_at, created_at)
      select ${removalTaskId}, ${toRunnerId}, json_object('kind', 'remove-service', 'serviceId', services.id, 'projectId', services.project_id,
        'hostnames', json_array(), 'hostPort', coalesce(services.next_host_port, services.host_port)), 'pending', ${at}, ${at}
      from services where services.id = ${serviceId} and services.runner_id <> ${toRunnerId} and ${isRunning}
        and ${jobIds.length} > 1`),
    db
      .update(services)
      .set({ nextRunnerId: null, nextHostPort: null })
      .where(and(eq(services.id, serviceId), isRunning)),
    redirectQueuedJobs(db, serviceId),
    ...volumeIds.map((volumeId, index) =>
      removeVolumeTask(db, {
        taskId: taskIds[index] ?? '',
        moveId: id,
        serviceId,
        runnerId: toRunnerId,
        volumeId,
        at,
        until: at,
      }),
    ),
    ...(restart
      ? [
          ...deploymentStatements(db, restart, sql`${isRunning} and ${isIdle}`),
          db
            .update(volumeMoves)
            .set({ jobIds: [...jobIds, restart.jobId] })
            .where(and(eq(volumeMoves.id, id), sql`status = 'running'`)),
        ]
      : []),
    ...(jobIds.length > 1 ? startAgain(db, serviceId, isRunning, { eventId, at }) : []),
    endMove(db, id, 'failed', at),
    db.update(services).set({ status: derivedServiceStatus }).where(eq(services.id, serviceId)),
  ]);
}

/** The service then counts as one that should run and has no container: if the restart fails, `revive-services` queues another. */
function startAgain(
  db: Database,
  serviceId: string,
  isRunning: SQL,
  { eventId, at }: { eventId: string; at: number },
) {
  const sentence =
    'The move to another host failed. The service was stopped for it and starts again on its old host.';
  const crash = { at, exitCode: null, outOfMemory: false };
  const trouble: ServiceTrouble = { sentence, cause: 'missing', crash, lastLines: [] };
  const event: NewEvent = {
    ...{
      id: eventId,
      type: 'service.crashed',
      serviceId,
      resourceId: serviceId,
      trigger: null,
      error: sentence,
      at,
    },
    audit: { reason: 'move_failed', status: 500 },
  };
  return [
    ...raiseEvent(db, event, sql`${isRunning} and services.stopped = 1`),
    db
      .update(services)
      .set({ stopped: false, crashed: true, reachable: false, trouble })
      .where(and(eq(services.id, serviceId), eq(services.stopped, true), isRunning)),
  ];
}

interface VolumeRemoval {
  taskId: string;
  moveId: string;
  serviceId: string;
  runnerId: string;
  volumeId: string;
  at: number;
  until: number;
}

const removeVolumeTask = (
  db: Database,
  { taskId, moveId, serviceId, runnerId, volumeId, at, until }: VolumeRemoval,
) =>
  db.run(sql`insert into host_tasks (id, runner_id, task, state, due_at, created_at)
    select ${taskId}, ${runnerId}, json_object('kind', 'remove-volume', 'serviceId', services.id, 'projectId', services.project_id,
      'volumeId', ${volumeId}), 'pending', ${until}, ${at}
    from services join volume_moves on volume_moves.id = ${moveId} and volume_moves.status = 'running'
    where services.id = ${serviceId} and services.runner_id <> ${runnerId}`);

const endMove = (db: Database, id: string, status: 'succeeded' | 'failed', at: number) =>
  db
    .update(volumeMoves)
    .set({ status, finishedAt: at })
    .where(and(eq(volumeMoves.id, id), sql`status = 'running'`));
