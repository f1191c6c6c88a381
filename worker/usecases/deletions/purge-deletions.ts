/**
 * The permanent removal of deleted resources: when their time is over, or at the operator's request. The deletions are first marked, after
 * which no restore is possible. Then each one's tasks for hosts and logs are written in the batch that removes its rows. Cron continues an
 * interrupted purge.
 */
import type { SQL } from 'drizzle-orm';
import { keepsRemotely, remoteKeyOf } from '../../domain/backups/backup-format.ts';
import type { ServiceKind } from '../../domain/services/service-kind.ts';
import {
  type DeletionRow,
  listHostsOfDeleted,
  readDeletedRows,
} from '../../store/deletions/deletion-store.ts';
import {
  claimPurge,
  endPurge,
  everyPurge,
  isDue,
  isLeft,
  selectPurging,
} from '../../store/deletions/purge-store.ts';
import { insertHostTasks, type NewHostTask } from '../../store/deletions/removal-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { repeatPass } from '../repeat-pass.ts';

export type PurgeNeeds = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now' | 'initiator'>;

/** A purge needs about four calls of D1, objects and the bucket. */
const purgesPerPass = 8;
const passesMax = 2;

/** Purges deletions that are due, and continues interrupted purges. Cron runs it every minute. */
export async function sweepDeletions(deps: PurgeNeeds): Promise<void> {
  await repeatPass(deps, passesMax, async () => {
    const { purged } = await purge(deps, isDue(deps.now()), everyPurge);
    return purged === purgesPerPass;
  });
}

/**
 * Purges the deletions that meet the condition on `deletions`.
 * @param continued condition on deletions whose purge has begun; default: the same
 * @returns refusals of the bucket or a host; those deletions remain marked and are retried
 */
export async function purge(
  deps: PurgeNeeds,
  condition: SQL,
  continued: SQL = condition,
): Promise<{ purged: number; left: number }> {
  const { db } = deps;
  const [, purging] = await db.batch([
    claimPurge(db, condition, deps.now()),
    selectPurging(db, continued, purgesPerPass),
  ]);
  const outcomes = await Promise.allSettled(purging.map((deletion) => purgeOne(deps, deletion)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') console.error('A deletion could not be purged:', outcome.reason);
  }
  const left = outcomes.filter(({ status }) => status === 'rejected').length;
  return { purged: outcomes.length - left, left };
}

async function purgeOne(deps: PurgeNeeds, deletion: DeletionRow): Promise<void> {
  const { db, hubs, newId, initiator } = deps;
  const at = deps.now();
  const tasks = await tasksOf(deps, deletion);
  await db.batch([
    insertHostTasks(db, tasks, at, isLeft(deletion.resourceId)),
    ...endPurge(db, deletion, { auditId: newId('audit'), by: initiator, at }),
  ]);
  await Promise.all([...new Set(tasks.map(({ runnerId }) => runnerId))].map((id) => hubs.wake(id)));
}

function tasksOf(deps: PurgeNeeds, deletion: DeletionRow): Promise<NewHostTask[]> | NewHostTask[] {
  switch (deletion.kind) {
    case 'backup':
      return backupTasks(deps, deletion);
    case 'volume':
      return volumeTasks(deps, deletion);
    case 'service':
    case 'project':
      return serviceTasks(deps, deletion);
  }
}

function volumeTasks(
  { newId }: PurgeNeeds,
  { resourceId: volumeId, projectId, serviceId, runnerId }: DeletionRow,
): NewHostTask[] {
  if (runnerId === null || serviceId === null) return [];
  return [
    { id: newId('hostTask'), runnerId, task: { kind: 'remove-volume', serviceId, projectId, volumeId } },
  ];
}

interface KeptMove {
  service_id: string;
  to_runner_id: string;
  status: string;
}

interface KeptService {
  id: string;
  project_id: string;
  kind: ServiceKind;
  runner_id: string;
  host_port: number;
}

/**
 * Removes images, releases and logs of each service; for databases also data and backups, for other services their volumes. Copies in the bucket
 * follow (sweep-backups).
 */
async function serviceTasks({ db, newId }: PurgeNeeds, { resourceId }: DeletionRow): Promise<NewHostTask[]> {
  const services = await readDeletedRows<KeptService>(db, resourceId, 'services');
  const volumes = await readDeletedRows<{ service_id: string }>(db, resourceId, 'volumes');
  const hosts = await listHostsOfDeleted(db, resourceId);
  const withVolumes = new Set(volumes.map(({ service_id }) => service_id));
  const moves = await readDeletedRows<KeptMove>(db, resourceId, 'volume_moves');
  // A move that the deletion interrupted may have filled volumes on its other host.
  const elsewhere = moves
    .filter(({ status }) => status === 'running')
    .flatMap(({ service_id: serviceId, to_runner_id: runnerId }): NewHostTask[] => {
      const projectId = services.find(({ id }) => id === serviceId)?.project_id;
      if (projectId === undefined) return [];
      return [{ id: newId('hostTask'), runnerId, task: { kind: 'remove-volumes', serviceId, projectId } }];
    });
  const tasks = services.flatMap(
    ({ id: serviceId, project_id: projectId, kind, runner_id: runnerId, host_port }): NewHostTask[] => {
      const task = {
        kind: 'remove-service' as const,
        serviceId,
        projectId,
        hostnames: [],
        hostPort: host_port,
      };
      const left = hosts.filter((host) => host.serviceId === serviceId && host.runnerId !== runnerId);
      const removes = [runnerId, ...left.map((host) => host.runnerId)].map(
        (id): NewHostTask => ({ id: newId('hostTask'), runnerId: id, task }),
      );
      if (kind !== 'database' && !withVolumes.has(serviceId)) return removes;
      return [
        ...removes,
        { id: newId('hostTask'), runnerId, task: { kind: 'remove-volumes', serviceId, projectId } },
      ];
    },
  );
  return [...tasks, ...elsewhere];
}

interface KeptBackup {
  id: string;
  service_id: string;
  storage: 'disk' | 'remote' | 'disk+remote';
}

/** Removes the copy in the bucket, which may be repeated, and returns the task for the copy on the host. */
async function backupTasks(
  { db, blobs, newId }: PurgeNeeds,
  { resourceId, projectId, runnerId }: DeletionRow,
): Promise<NewHostTask[]> {
  const [backup] = await readDeletedRows<KeptBackup>(db, resourceId, 'backups');
  if (!backup || runnerId === null) return [];
  const { id: backupId, service_id: serviceId, storage } = backup;
  if (keepsRemotely(storage)) await blobs.remove([remoteKeyOf({ id: backupId, serviceId })]);
  return [
    { id: newId('hostTask'), runnerId, task: { kind: 'remove-backup', serviceId, projectId, backupId } },
  ];
}
