/** Deletions of services and projects: reasons to refuse them, and the tasks for their hosts, which outlive the rows. */
import { eq, type SQL, sql } from 'drizzle-orm';
import type { HostTask } from '../../../protocol/host-task.ts';
import { domains } from '../schema/domains.ts';
import { projects } from '../schema/projects.ts';
import { hostTasks } from '../schema/runners.ts';
import { services } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';
import { serviceIdsOf } from '../sql/row-archive.ts';

export interface NewHostTask {
  id: string;
  runnerId: string;
  task: HostTask;
  /** Earliest time; if absent, now. */
  dueAt?: number;
}

/** The facts with which a host removes a service: one row per verified custom domain, or one row for a service without any. */
export function selectRemovedServices(
  db: Database,
  condition: { serviceId: string } | { projectId: string },
) {
  return db
    .select({
      id: services.id,
      projectId: services.projectId,
      kind: services.kind,
      runnerId: services.runnerId,
      nextRunnerId: services.nextRunnerId,
      hostPort: services.hostPort,
      generatedHostname: services.generatedHostname,
      domain: domains.hostname,
    })
    .from(services)
    .leftJoin(domains, sql`${domains.serviceId} = ${services.id} and ${domains.isVerified}`)
    .where(
      'serviceId' in condition
        ? eq(services.id, condition.serviceId)
        : eq(services.projectId, condition.projectId),
    )
    .orderBy(services.createdAt);
}

/**
 * Makes its batch fail (a violation of NOT NULL) if the project's services are not exactly these: a service that has been transferred
 * away since must not be removed from its host, and a new one must not remain there.
 */
export function assertServicesAre(db: Database, projectId: string, serviceIds: readonly string[]) {
  const ids = sql`(select value from json_each(${JSON.stringify(serviceIds)}))`;
  const areSame = sql`(select count(*) from services where project_id = ${projectId}) = ${serviceIds.length}
    and not exists (select 1 from services where project_id = ${projectId} and id not in ${ids})`;
  return db
    .update(projects)
    .set({ name: sql`case when ${areSame} then name end` })
    .where(eq(projects.id, projectId));
}

/** One statement for any number of tasks (D1 allows 100 parameters). @param condition nothing is written if it does not hold */
export function insertHostTasks(
  db: Database,
  tasks: readonly NewHostTask[],
  now: number,
  condition: SQL = sql`true`,
) {
  return db.run(sql`
    insert into ${hostTasks} (id, runner_id, task, state, due_at, created_at)
    select value ->> 'id', value ->> 'runnerId', value ->> 'task', 'pending',
      coalesce(value ->> 'dueAt', ${now}), ${now}
    from json_each(${JSON.stringify(tasks)}) where ${condition}`);
}

/** The resources to delete: one service, or all services of a project. */
export type Removed = { serviceId: string } | { projectId: string };

/** The first running restore of a backup that would be deleted, into a service that would remain. */
const outsideRestore = (removed: Removed) => {
  const [column, id] =
    'serviceId' in removed ? [sql.raw('id'), removed.serviceId] : [sql.raw('project_id'), removed.projectId];
  return sql`select backups.id as backupId, source.id as serviceId, target.id as targetId from restores
    join backups on backups.id = restores.backup_id join services source on source.id = backups.service_id
    join services target on target.id = restores.service_id
    where restores.status = 'running' and source.${column} = ${id} and target.${column} <> ${id} limit 1`;
};

/** The first service that would be deleted in the middle of a move, and the deployment that ends the move. */
const movingService = (removed: Removed) => sql`select services.name as name, deployments.id as deploymentId
  from volume_moves move join services on services.id = move.service_id
    join json_each(move.job_ids) own join deployments on deployments.job_id = own.value
  where move.status = 'running' and move.service_id in ${serviceIdsOf(removed)} limit 1`;

/** A service that is being moved, so its data is on two hosts. */
export async function findMoving(db: Database, removed: Removed) {
  const [row] = await db.all<{ name: string; deploymentId: string }>(movingService(removed));
  return row;
}

/** A backup that would be deleted while it is being restored into a service that would remain. */
export async function findOutsideRestore(db: Database, removed: Removed) {
  const [row] = await db.all<{ backupId: string; serviceId: string; targetId: string }>(
    outsideRestore(removed),
  );
  return row;
}

/**
 * Makes its batch fail (a violation of NOT NULL) if a service is protected or being moved, or if findOutsideRestore finds a restore, whose
 * row and result would be lost with the backup.
 */
export function assertMayDelete(db: Database, removed: Removed) {
  const hasProtected = sql`exists (select 1 from services guarded where guarded.id in ${serviceIdsOf(removed)} and guarded.protected = 1)`;
  const name = sql`case when not ${hasProtected} and not exists (${outsideRestore(removed)})
    and not exists (select 1 from volume_moves where status = 'running' and service_id in ${serviceIdsOf(removed)}) then name end`;
  return 'serviceId' in removed
    ? db.update(services).set({ name }).where(eq(services.id, removed.serviceId))
    : db.update(projects).set({ name }).where(eq(projects.id, removed.projectId));
}

/** Names of protected services among those that would be deleted, at most ten. */
export async function listProtected(db: Database, removed: Removed): Promise<string[]> {
  const rows = await db
    .select({ name: services.name })
    .from(services)
    .where(sql`${services.id} in ${serviceIdsOf(removed)} and ${services.protected} = 1`)
    .limit(10);
  return rows.map(({ name }) => name);
}
