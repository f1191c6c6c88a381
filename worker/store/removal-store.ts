/** Rows that outlive a deleted service or project: tasks for its hosts, and logs to be emptied. */
import { eq, sql } from 'drizzle-orm';
import type { HostTask } from '../../protocol/host-task.ts';
import type { Database } from './database.ts';
import { deployments } from './schema/deployments.ts';
import { domains } from './schema/domains.ts';
import { hostTasks } from './schema/host-tasks.ts';
import { logPurges } from './schema/log-purges.ts';
import { projects } from './schema/projects.ts';
import { services } from './schema/services.ts';

export interface NewHostTask {
  id: string;
  runnerId: string;
  task: HostTask;
  /** Earliest time; absent: now. */
  dueAt?: number;
}

/** What the host needs to remove a service: one row per proven custom domain, or one row for a service without. */
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
    .leftJoin(domains, sql`${domains.serviceId} = ${services.id} and ${domains.isProven}`)
    .where(
      'serviceId' in condition
        ? eq(services.id, condition.serviceId)
        : eq(services.projectId, condition.projectId),
    )
    .orderBy(services.createdAt);
}

/**
 * Makes its batch fail (a violation of NOT NULL) if the project's services are not exactly these: a service that was transferred away in
 * the meantime must not be removed from its host, and a new one must not be left there.
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

/** One statement for any number of tasks (D1 allows 100 parameters). */
export function insertHostTasks(db: Database, tasks: readonly NewHostTask[], now: number) {
  return db.run(sql`
    insert into ${hostTasks} (id, runner_id, task, state, due_at, created_at)
    select value ->> 'id', value ->> 'runnerId', value ->> 'task', 'pending',
      coalesce(value ->> 'dueAt', ${now}), ${now}
    from json_each(${JSON.stringify(tasks)})`);
}

/** Records the logs of all deployments for cron. In the batch that deletes the deployments, so that none is missed. */
export function noteLogPurges(
  db: Database,
  condition: { serviceId: string } | { projectId: string },
  now: number,
) {
  const chosen =
    'serviceId' in condition
      ? sql`${services.id} = ${condition.serviceId}`
      : sql`${services.projectId} = ${condition.projectId}`;
  return db.run(sql`
    insert or ignore into ${logPurges} (stream_name, created_at)
    select ${deployments.id}, ${now} from ${deployments}
    join ${services} on ${services.id} = ${deployments.serviceId} where ${chosen}`);
}

/** What is to be deleted: one service, or all services of a project. */
export type Removed = { serviceId: string } | { projectId: string };

/** The first running restore of a backup that would be deleted, into a service that would stay. */
const outsideRestore = (removed: Removed) => {
  const [column, id] =
    'serviceId' in removed ? [sql.raw('id'), removed.serviceId] : [sql.raw('project_id'), removed.projectId];
  return sql`select backups.id as backupId, source.id as serviceId, target.id as targetId from restores
    join backups on backups.id = restores.backup_id join services source on source.id = backups.service_id
    join services target on target.id = restores.service_id
    where restores.status = 'running' and source.${column} = ${id} and target.${column} <> ${id} limit 1`;
};

/** A backup that would be deleted while it is being restored into a service that would stay. */
export async function findOutsideRestore(db: Database, removed: Removed) {
  const [row] = await db.all<{ backupId: string; serviceId: string; targetId: string }>(
    outsideRestore(removed),
  );
  return row;
}

/** Makes its batch fail (a violation of NOT NULL) if there is such a restore: its row would be deleted with the backup, and its result lost. */
export function assertNoOutsideRestore(db: Database, removed: Removed) {
  const name = sql`case when not exists (${outsideRestore(removed)}) then name end`;
  return 'serviceId' in removed
    ? db.update(services).set({ name }).where(eq(services.id, removed.serviceId))
    : db.update(projects).set({ name }).where(eq(projects.id, removed.projectId));
}
