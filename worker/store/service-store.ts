/** Services, as far as clients change them; what hosts report of them is written elsewhere. */
import { and, eq, gte, lt, ne, notExists, type SQL, sql } from 'drizzle-orm';
import type { RunnerFacts } from '../../protocol/runner-facts.ts';
import type { Database } from './database.ts';
import { deployments } from './schema/deployments.ts';
import { domains } from './schema/domains.ts';
import { jobs } from './schema/jobs.ts';
import { services } from './schema/services.ts';

export type ServiceRow = typeof services.$inferSelect;
export type PortBlock = RunnerFacts['webPorts'];

/** What names a service within its project, in the order of creation. */
export function selectServiceNames(db: Database, projectId: string) {
  return db
    .select({ id: services.id, slug: services.slug, name: services.name, runnerId: services.runnerId })
    .from(services)
    .where(eq(services.projectId, projectId))
    .orderBy(services.createdAt, sql`services.rowid`);
}

/** Host names of the whole instance, generated, custom and of databases, from `from` (included) to `below` in byte order. */
export function selectHostnames(db: Database, { from, below }: { from: string; below: string }) {
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
  return generated.unionAll(custom).unionAll(ofDatabases);
}

/** Inserts a service on the lowest free port of `ports`: found and taken in one statement, so that no two services get the same. */
export function insertService(db: Database, service: Omit<ServiceRow, 'hostPort'>, ports: PortBlock) {
  return db
    .insert(services)
    .values({ ...service, hostPort: lowestFreePort(service.runnerId, ports) })
    .returning();
}

type ChangeableColumn = Exclude<
  keyof ServiceRow,
  'id' | 'projectId' | 'slug' | 'kind' | 'hostPort' | 'createdAt'
>;
/** What is absent or undefined keeps its value. */
export type ServiceChanges = {
  [Name in ChangeableColumn]?: ServiceRow[Name] | SQL<ServiceRow[Name]> | undefined;
};

/** A token sealed with the key of this project, for `ServiceChanges`: a service that has left the project keeps the one it has. */
export function gitTokenOf(projectId: string, sealedGitToken: string | null): SQL<string | null> {
  return sql`iif(project_id = ${projectId}, ${sealedGitToken}, sealed_git_token)`;
}

export function updateService(db: Database, serviceId: string, changes: ServiceChanges) {
  return db.update(services).set(changes).where(eq(services.id, serviceId));
}

/**
 * Gives a service that neither runs nor is about to another host, at once. It keeps its port where that is free there.
 * @returns a statement that changes no row when something of the service runs.
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
    .where(and(eq(services.id, service.id), notExists(openJobs(db, service.id)), notExists(live)));
}

/**
 * Has a service move with its next successful deployment: notes the host and reserves a port there.
 * @returns a statement that changes no row when a deployment is at work, when it is on that host, or when that has no free port.
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
        sql`${port} is not null`,
      ),
    );
}

/** Has a service stay where it is. @returns a statement that changes no row when a deployment is at work. */
export function cancelMove(db: Database, serviceId: string, changes: ServiceChanges) {
  return db
    .update(services)
    .set({ ...changes, nextRunnerId: null, nextHostPort: null })
    .where(and(eq(services.id, serviceId), notExists(selectActiveJob(db, serviceId))));
}

/**
 * Sends what waits to the host that the service is to be on: that of before may be the reason for the move.
 * Rollbacks stay: their image is there alone; so do jobs on data.
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

/** A row while a deployment is at work. (States are written out so that SQLite sees that a partial index applies.) */
export function selectActiveJob(db: Database, serviceId: string) {
  return db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.serviceId, serviceId), sql`state = 'active'`));
}

function openJobs(db: Database, serviceId: string) {
  return db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.serviceId, serviceId), sql`state in ('queued', 'active')`));
}

/** All that hangs on it goes with it (foreign keys); jobs at work end when their report finds no row. */
export function deleteService(db: Database, serviceId: string) {
  return db.delete(services).where(eq(services.id, serviceId));
}

/** The port it has, if that is free on the other host; else the lowest free one. */
function portOnHost(
  { hostPort }: Pick<ServiceRow, 'hostPort'>,
  runnerId: string,
  ports: PortBlock,
): SQL<number> {
  return sql<number>`coalesce(
    (select ${hostPort} where ${hostPort} between ${ports.first} and ${ports.last}
      and ${hostPort} not in (${takenPorts(runnerId)})),
    ${lowestFreePort(runnerId, ports)})`;
}

/** Ports of a host that services have, or will have when they move there. */
function takenPorts(runnerId: string): SQL {
  return sql`select host_port as port from services where runner_id = ${runnerId}
    union all select next_host_port from services where next_runner_id = ${runnerId}`;
}

/** What refuses the insert when the block is full. */
export const hostPortColumn = 'services.host_port';

/** Null when the block is full: the column refuses it. */
function lowestFreePort(runnerId: string, { first, last }: PortBlock): SQL<number> {
  return sql`(
    select min(port) from (
      select ${first} as port
      union all select port + 1 from (${takenPorts(runnerId)}) where port between ${first} and ${last - 1}
    ) where port not in (${takenPorts(runnerId)})
  )`;
}
