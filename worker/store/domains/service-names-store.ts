/**
 * Sends the host names of services to their hosts: as a task with all names and a revision; a host keeps the highest revision. Names,
 * revision and task are written in one batch, and the database builds the task from the rows, so that after two concurrent changes the
 * later task contains both.
 */
import { type SQL, sql } from 'drizzle-orm';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import type { Database } from '../sql/database.ts';
import { certificateOfName } from './own-certificate-store.ts';

/** Condition on `services`. */
export const oneService = (serviceId: string): SQL => sql`services.id = ${serviceId}`;
export const servicesOf = (serviceIds: readonly string[]): SQL =>
  sql`services.id in (select value from json_each(${JSON.stringify(serviceIds)}))`;
export const withCustomDomains: SQL = sql`exists (select 1 from domains where domains.service_id = services.id and is_proven)`;

/** Condition: a service with custom domains on this host. */
export const namedThere = (serviceId: string, runnerId: string): SQL =>
  sql`${oneService(serviceId)} and services.runner_id = ${runnerId} and ${withCustomDomains}`;

/** Must run before the tasks are inserted. */
export function raiseRevisions(db: Database, chosen: SQL) {
  return db.run(sql`update services set routes_revision = routes_revision + 1 where ${chosen}`);
}

/** The names of a service in the form for its host: the generated name first, then the verified custom names in order of creation. */
const namesOfService = sql`(select json_group_array(json_patch(json_object('hostname', hostname,
    'isCustom', json(is_custom), 'isActive', json(is_active)), iif(certificate is null, '{}', json_object('certificate', json(certificate)))))
  from (select generated_hostname as hostname, 'false' as is_custom, 'true' as is_active, 0 as created_at, null as certificate
      where generated_hostname is not null
    union all select hostname, 'true', iif(status = 'active', 'true', 'false'), created_at, ${certificateOfName}
      from domains where domains.service_id = services.id and is_proven order by created_at))`;

/** The tenant of a service, unless it is the default one. */
const ownerOfService = sql`(select iif(tenant_id = ${defaultTenantId}, '{}', json_object('tenantId', tenant_id))
  from projects where projects.id = services.project_id)`;

/** Path and value for json_insert, which does not change an existing path: without rules it adds nothing. */
const rulesOfService = sql`iif(traffic_rules is null, '$.kind', '$.rules'), json(traffic_rules)`;

/** Longer than any request waits for a task. */
const staleMs = 60_000;

/** Deletes pending tasks of these services for which no request waits any more; the next task contains all names. */
export function dropStaleNamesTasks(db: Database, chosen: SQL, now: number) {
  return db.run(sql`delete from host_tasks
    where runner_id in (select runner_id from services where ${chosen}) and state = 'pending' and due_at < ${now - staleMs}
    and task ->> 'kind' = 'set-hostnames' and task ->> 'serviceId' in (select id from services where ${chosen})`);
}

/**
 * One task for the host of each chosen service.
 * @param taskId a new id, from which the tasks' ids are built together with the service's id, because only the database knows their number
 * @param changed added or removed names; requests to them are the task's result
 */
export function insertNamesTasks(
  db: Database,
  chosen: SQL,
  { taskId, changed, now }: { taskId: string | null; changed: readonly string[]; now: number },
) {
  return db.all<{ id: string; runnerId: string }>(sql`
    insert into host_tasks (id, runner_id, task, state, due_at, created_at)
    select ${taskId?.slice(0, -8) ?? null} || substr(id, -8), runner_id,
      json_insert(json_patch(json_object('kind', 'set-hostnames', 'serviceId', id, 'projectId', project_id,
        'revision', routes_revision, 'names', json(${namesOfService}),
        'publicIp', (select settings.value ->> '$' from settings where settings.name = 'publicIp'),
        'changed', json(${JSON.stringify(changed)})), ${ownerOfService}), ${rulesOfService}),
      'pending', ${now}, ${now}
    from services where ${chosen}
    returning id, runner_id as runnerId`);
}
