import { asc, eq, or, type SQL, sql } from 'drizzle-orm';
import {
  drainedServicesMax,
  drainLagHours,
  drainsMax,
  drainsOfHostMax,
} from '../../../protocol/logs/drains.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { logDrains } from '../schema/logs.ts';
import { projects } from '../schema/projects.ts';
import { runners } from '../schema/runners.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { inScope } from '../sql/scoped-store.ts';

export type LogDrainRow = typeof logDrains.$inferSelect;
export type LogDrainChanges = Partial<Omit<LogDrainRow, 'id' | 'projectId' | 'createdAt'>>;

/** The drains of a project, in order of creation. */
export const listLogDrains = (db: Database, projectId: string) =>
  db
    .select()
    .from(logDrains)
    .where(eq(logDrains.projectId, projectId))
    .orderBy(asc(logDrains.createdAt), sql`log_drains.rowid`);

/** A drain of a project that the key may see, with the tenant. */
export function selectScopedLogDrain(db: Database, tokenId: string, id: string) {
  return db
    .select({ drain: columnsAs(logDrains, 'drain'), tenantId: projects.tenantId })
    .from(logDrains)
    .innerJoin(projects, eq(projects.id, logDrains.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(eq(logDrains.id, id))
    .limit(1);
}

export async function findLogDrain(db: Database, id: string): Promise<LogDrainRow | undefined> {
  const [row] = await db.select().from(logDrains).where(eq(logDrains.id, id));
  return row;
}

/** @returns no row if the project has the most allowed */
export function insertLogDrain(db: Database, row: LogDrainRow) {
  const { id, projectId, name, kind, target, sealedTarget, level, enabled, createdAt, updatedAt } = row;
  return db.all<{ id: string }>(sql`
    insert into log_drains (id, project_id, name, kind, target, sealed_target, level, enabled, created_at, updated_at)
    select ${id}, ${projectId}, ${name}, ${kind}, ${target}, ${sealedTarget}, ${level}, ${enabled ? 1 : 0}, ${createdAt}, ${updatedAt}
    where (select count(*) from log_drains where project_id = ${projectId}) < ${drainsMax} returning id`);
}

export const updateLogDrain = (db: Database, id: string, changes: LogDrainChanges) =>
  db.update(logDrains).set(changes).where(eq(logDrains.id, id)).returning();

export const deleteLogDrain = (db: Database, id: string) => db.delete(logDrains).where(eq(logDrains.id, id));

/** Twice the time that lines wait on a host: after it, the host has sent the lines of a service that moved away, or discarded and counted them. */
const leftMs = 2 * drainLagHours * 3_600_000;

/** The ids of services that have moved away from a host and may still have waiting lines there, according to the task that removes them. */
const leftServices = (runnerId: SQL, now: number) =>
  sql`(select task ->> 'serviceId' from host_tasks where host_tasks.runner_id = ${runnerId} and state in ('pending', 'done')
    and due_at > ${now - leftMs} and task ->> 'kind' = 'remove-service')`;

/** The hosts with services of a project, or with lines of services that have moved away. */
export const listDrainHosts = (db: Database, projectId: string, now: number) =>
  db
    .select({ id: runners.id, name: runners.name, sealingKey: runners.sealingKey })
    .from(runners)
    .where(
      or(
        sql`${runners.id} in (select runner_id from services where project_id = ${projectId})`,
        sql`${runners.revokedAt} is null and exists (select 1 from services where project_id = ${projectId}
          and services.id in ${leftServices(sql`${runners.id}`, now)})`,
      ),
    )
    .orderBy(asc(runners.id));

/** Whether the project of a statement's row has drains. */
export const hasLogDrains = sql<boolean>`exists (select 1 from log_drains where log_drains.project_id = ${projects.id})`;

export interface HostDrainRow {
  id: string;
  sealedTarget: string;
  level: LogDrainRow['level'];
  tenantId: string;
  project: string;
  /** JSON: the id and slug of each service of the project on the host. */
  services: string;
}

/**
 * A host's log drains, including those of services that are moving to it, whose lines begin before the move has ended, and of services that
 * have moved away, whose last lines may still wait on the host.
 * @returns `host` is undefined if the host is unknown
 */
export async function readDrainsOfHost(db: Database, runnerId: string, now: number) {
  const isHere = sql`(services.runner_id = ${runnerId} or services.next_runner_id = ${runnerId}
    or services.id in ${leftServices(sql`${runnerId}`, now)})`;
  const ofHost = db.select({ sealingKey: runners.sealingKey }).from(runners).where(eq(runners.id, runnerId));
  const [[host], drains] = await Promise.all([
    ofHost,
    db.all<HostDrainRow>(sql`
      select drain.id as id, sealed_target as sealedTarget, level, tenant_id as tenantId, projects.slug as project,
        (select json_group_array(json_object('id', id, 'slug', slug)) from (select services.id as id, services.slug as slug from services
          where services.project_id = drain.project_id and ${isHere} limit ${drainedServicesMax})) as services
      from log_drains drain inner join projects on projects.id = drain.project_id
      where enabled and drain.project_id in (select project_id from services where ${isHere})
      order by drain.id limit ${drainsOfHostMax}`),
  ]);
  return { host, drains };
}

/** Removes the drains of projects that can't be restored any more. */
export const deleteLostLogDrains = (db: Database) =>
  db.run(sql`delete from log_drains where not exists (select 1 from projects where id = log_drains.project_id)
    and not exists (select 1 from deletions where resource_id = log_drains.project_id)`);
