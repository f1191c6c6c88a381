/** Changes of services by clients. Reports of hosts are written elsewhere. */
import { and, eq, gte, lt, ne, notExists, type SQL, sql } from 'drizzle-orm';
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import type { JsonColumn } from '../../domain/services/settings/service-settings.ts';
import { takenPorts } from '../hosts/placement-store.ts';
import { deployments } from '../schema/deployments.ts';
import { domains, heldNames } from '../schema/domains.ts';
import { jobs } from '../schema/jobs.ts';
import { services } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';
import { hasNoVolumes, isNotMoving } from './volume-hold.ts';

export type ServiceRow = typeof services.$inferSelect;
export type PortBlock = RunnerFacts['webPorts'];

/** The services of a project with their names, in order of creation. */
export function selectServiceNames(db: Database, projectId: string) {
  return db
    .select({ id: services.id, slug: services.slug, name: services.name, runnerId: services.runnerId })
    .from(services)
    .where(eq(services.projectId, projectId))
    .orderBy(services.createdAt, sql`services.rowid`);
}

/**
 * Host names that a service of this tenant can't get, from `from` (inclusive) to `below` (exclusive) in byte order: names in use in
 * the whole instance (generated, custom and of databases), and names reserved for another tenant.
 */
export function selectHostnames(
  db: Database,
  { from, below }: { from: string; below: string },
  tenantId: string,
) {
  const generated = db
    .select({ hostname: sql<string>`${services.generatedHostname}`.as('hostname') })
    .from(services)
    .where(and(gte(services.generatedHostname, from), lt(services.generatedHostname, below)));
  const custom = db
    .select({ hostname: sql<string>`${domains.hostname}`.as('hostname') })
    .from(domains)
    .where(and(gte(domains.hostname, from), lt(domains.hostname, below)));
  const ofDatabases = db
    .select({ hostname: sql<string>`${services.databasePublicHostname}`.as('hostname') })
    .from(services)
    .where(and(gte(services.databasePublicHostname, from), lt(services.databasePublicHostname, below)));
  const held = db
    .select({ hostname: sql<string>`${heldNames.hostname}`.as('hostname') })
    .from(heldNames)
    .where(
      and(gte(heldNames.hostname, from), lt(heldNames.hostname, below), ne(heldNames.tenantId, tenantId)),
    );
  return generated.unionAll(custom).unionAll(ofDatabases).unionAll(held);
}

/**
 * Returns the given host names that a service of this tenant can't get: the instance uses them for any purpose, or reserves them for
 * another tenant. A custom domain that another tenant has not verified does not count.
 */
export function selectTakenHostnames(db: Database, hostnames: readonly string[], tenantId: string) {
  const wanted = sql`(select value from json_each(${JSON.stringify(hostnames)}))`;
  return db.all<{ hostname: string }>(sql`
    select generated_hostname as hostname from services where generated_hostname in ${wanted}
    union select database_public_hostname from services where database_public_hostname in ${wanted}
    union select domains.hostname from domains join services on services.id = domains.service_id
      join projects on projects.id = services.project_id
      where domains.hostname in ${wanted} and (domains.is_proven or projects.tenant_id = ${tenantId})
    union select hostname from held_names
      where hostname in ${wanted} and tenant_id <> ${tenantId} and held_until > unixepoch() * 1000`);
}

/** Ports on these hosts that services use or have reserved for a move, and ports that the hosts report as used by another program. */
export function selectTakenPorts(db: Database, runnerIds: readonly string[]) {
  const wanted = sql`(select value from json_each(${JSON.stringify(runnerIds)}))`;
  return db.all<{ runnerId: string; port: number }>(sql`
    select runner_id as runnerId, host_port as port from services where runner_id in ${wanted}
    union all select next_runner_id, next_host_port from services where next_runner_id in ${wanted}
    union all select runners.id, value from runners, json_each(runners.facts, '$.foreignPorts') where runners.id in ${wanted}`);
}

/**
 * Inserts a service with the lowest free port of `ports` that is not in `busy`, found and taken in one statement so that no two services get the same
 * port.
 */
export function insertService(
  db: Database,
  service: Omit<ServiceRow, 'hostPort'>,
  { ports, busy }: { ports: PortBlock; busy: readonly number[] },
) {
  return db
    .insert(services)
    .values({ ...service, hostPort: lowestFreePort(ports, takenPorts(service.runnerId, busy)) })
    .returning();
}

type ChangeableColumn = Exclude<keyof ServiceRow, 'id' | 'projectId' | 'slug' | 'hostPort' | 'createdAt'>;
/** Absent or undefined columns do not change. */
export type ServiceChanges = {
  [Name in ChangeableColumn]?: ServiceRow[Name] | SQL<ServiceRow[Name]> | undefined;
};

/** A token sealed with the key of this project, for `ServiceChanges`. The token of a service that has left the project does not change. */
export function gitTokenOf(projectId: string, sealedGitToken: string | null): SQL<string | null> {
  return sql`iif(project_id = ${projectId}, ${sealedGitToken}, sealed_git_token)`;
}

/** For `ServiceChanges`: only the given settings change, and null clears one, whatever another request sets at the same time. */
export function mergedSettings(column: JsonColumn, changes: object): ServiceChanges {
  const name = sql.identifier(services[column].name);
  const merged = sql`nullif(json_patch(ifnull(${name}, '{}'), ${JSON.stringify(changes)}), '{}')`;
  return { [column]: merged };
}

export function updateService(db: Database, serviceId: string, changes: ServiceChanges) {
  return db.update(services).set(changes).where(eq(services.id, serviceId));
}

/**
 * Moves a service without live version or open jobs to another host immediately. It keeps its port if that port is free there.
 * @returns a statement that changes no row if the service is running or has an open job
 */
export function moveIdleService(
  db: Database,
  service: Pick<ServiceRow, 'id' | 'hostPort'>,
  changes: ServiceChanges & { runnerId: string },
  ports: PortBlock,
) {
  const live = db
    .select({ one: sql`1` })
    .from(deployments)
    .where(and(eq(deployments.serviceId, service.id), eq(deployments.status, 'running')));
  return db
    .update(services)
    .set({
      ...changes,
      hostPort: portOnHost(service, changes.runnerId, ports),
      nextRunnerId: null,
      nextHostPort: null,
    })
    .where(
      and(eq(services.id, service.id), notExists(openJobs(db, service.id)), notExists(live), hasNoVolumes),
    );
}

/**
 * Plans a service's move with its next successful deployment: stores the host and reserves a port there.
 * @returns a statement that changes no row if a job is active, if the service is already on that host, or if that host has no free port
 */
export function planMove(
  db: Database,
  service: Pick<ServiceRow, 'id' | 'hostPort'>,
  changes: ServiceChanges & { nextRunnerId: string },
  ports: PortBlock,
) {
  const port = portOnHost(service, changes.nextRunnerId, ports);
  return db
    .update(services)
    .set({ ...changes, nextHostPort: port })
    .where(
      and(
        eq(services.id, service.id),
        ne(services.runnerId, changes.nextRunnerId),
        notExists(selectActiveJob(db, service.id)),
        hasNoVolumes,
        sql`${port} is not null`,
      ),
    );
}

/** Cancels a planned move. @returns a statement that changes no row if a job is active, or while the service is being moved with its volumes */
export function cancelMove(db: Database, serviceId: string, changes: ServiceChanges) {
  return db
    .update(services)
    .set({ ...changes, nextRunnerId: null, nextHostPort: null })
    .where(and(eq(services.id, serviceId), notExists(selectActiveJob(db, serviceId)), isNotMoving));
}

/**
 * Moves queued deployments to the service's planned host, since the old host may be the reason for the move.
 * Rollbacks are not moved, because only the old host has their image; neither are data jobs.
 */
export function redirectQueuedJobs(db: Database, serviceId: string) {
  return db
    .update(jobs)
    .set({
      runnerId: sql`(select coalesce(next_runner_id, runner_id) from services where services.id = ${serviceId})`,
    })
    .where(
      and(
        eq(jobs.serviceId, serviceId),
        sql`state in ('queued', 'active') and state = 'queued' and kind = 'deploy'`,
        sql`not exists (select 1 from deployments where job_id = jobs.id and source_deployment_id is not null)`,
      ),
    );
}

/** One row while a job of the service is active. (The state is written as text so that SQLite uses a partial index.) */
export function selectActiveJob(db: Database, serviceId: string) {
  return db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.serviceId, serviceId), sql`state = 'active' and kind <> 'run'`));
}

/** One row for each open job of the service. */
export function openJobs(db: Database, serviceId: string) {
  return db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.serviceId, serviceId), sql`state in ('queued', 'active')`));
}

/** Foreign keys delete everything that belongs to the service. Active jobs end when their report finds no row. */
export function deleteService(db: Database, serviceId: string) {
  return db.delete(services).where(eq(services.id, serviceId));
}

/** The current port if it is free on the other host, otherwise the lowest free one. */
export function portOnHost(
  { hostPort }: Pick<ServiceRow, 'hostPort'>,
  runnerId: string,
  ports: PortBlock,
): SQL<number> {
  return sql<number>`coalesce(
    (select ${hostPort} where ${hostPort} between ${ports.first} and ${ports.last}
      and ${hostPort} not in (${takenPorts(runnerId)})),
    ${lowestFreePort(ports, takenPorts(runnerId))})`;
}

/** The column whose NOT NULL refuses the insert if the block is full. */
export const hostPortColumn = 'services.host_port';

/** Null if the block is full, which the column refuses. */
export function lowestFreePort({ first, last }: PortBlock, taken: SQL): SQL<number> {
  return sql`(
    select min(port) from (
      select ${first} as port
      union all select port + 1 from (${taken}) where port between ${first} and ${last - 1}
    ) where port not in (${taken})
  )`;
}
