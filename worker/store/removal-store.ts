/** What must outlive a deleted service or project: the work on its host, and the logs that are still to be emptied. */
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
  /** Not before this moment; at once when left out. */
  dueAt?: number;
}

/** What the host must know of a service in order to remove it: one row a custom domain, one without for a service without. */
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
    .leftJoin(domains, eq(domains.serviceId, services.id))
    .where(
      'serviceId' in condition
        ? eq(services.id, condition.serviceId)
        : eq(services.projectId, condition.projectId),
    )
    .orderBy(services.createdAt);
}

/**
 * Undoes the batch that it begins (a violation of NOT NULL) when the project's services are not these: one that was transferred away
 * meanwhile must not be removed from its host, and one that came must not stay there unknown.
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

/** One statement for any number (D1 takes 100 parameters). */
export function insertHostTasks(db: Database, tasks: readonly NewHostTask[], now: number) {
  return db.run(sql`
    insert into ${hostTasks} (id, runner_id, task, state, due_at, created_at)
    select value ->> 'id', value ->> 'runnerId', value ->> 'task', 'pending',
      coalesce(value ->> 'dueAt', ${now}), ${now}
    from json_each(${JSON.stringify(tasks)})`);
}

/** Notes the logs of all deployments for cron, in the batch that deletes them: none can slip in between. */
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

/** What is to be deleted: one service, or all of a project. */
export type Removed = { serviceId: string } | { projectId: string };

/** Restores at work of a backup that would go, into a service that would stay: the first one. */
const lentBackup = (removed: Removed) => {
  const [column, id] =
    'serviceId' in removed ? [sql.raw('id'), removed.serviceId] : [sql.raw('project_id'), removed.projectId];
  return sql`select backups.id as backupId, source.id as serviceId, target.id as targetId from restores
    join backups on backups.id = restores.backup_id join services source on source.id = backups.service_id
    join services target on target.id = restores.service_id
    where restores.status = 'running' and source.${column} = ${id} and target.${column} <> ${id} limit 1`;
};

/** A backup of what would be deleted that is being restored into what would stay. */
export async function findLentBackup(db: Database, removed: Removed) {
  const [row] = await db.all<{ backupId: string; serviceId: string; targetId: string }>(lentBackup(removed));
  return row;
}

/** Undoes the batch that it begins (a violation of NOT NULL) while there is one: with its backup the row of the restore would go, and its end be lost. */
export function assertNothingLent(db: Database, removed: Removed) {
  const name = sql`case when not exists (${lentBackup(removed)}) then name end`;
  return 'serviceId' in removed
    ? db.update(services).set({ name }).where(eq(services.id, removed.serviceId))
    : db.update(projects).set({ name }).where(eq(projects.id, removed.projectId));
}
