/** Services, as far as clients change them; what hosts report of them is written elsewhere. */
import { and, eq, gte, lt, notExists, type SQL, sql } from 'drizzle-orm';
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

/** Host names of the whole instance, generated and custom, from `from` (included) to `below` in byte order. */
export function selectHostnames(db: Database, { from, below }: { from: string; below: string }) {
  const generated = db
    .select({ hostname: sql<string>`${services.generatedHostname}`.as('hostname') })
    .from(services)
    .where(and(gte(services.generatedHostname, from), lt(services.generatedHostname, below)));
  const custom = db
    .select({ hostname: sql<string>`${domains.hostname}`.as('hostname') })
    .from(domains)
    .where(and(gte(domains.hostname, from), lt(domains.hostname, below)));
  return generated.unionAll(custom);
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
export type ServiceChanges = { [Name in ChangeableColumn]?: ServiceRow[Name] | undefined };

export function updateService(db: Database, serviceId: string, changes: ServiceChanges) {
  return db.update(services).set(changes).where(eq(services.id, serviceId));
}

/**
 * Gives a service that neither runs nor is about to another host. It keeps its port where that is free there.
 * @returns a statement that changes no row when something of the service runs.
 */
export function moveIdleService(
  db: Database,
  service: Pick<ServiceRow, 'id' | 'hostPort'>,
  changes: ServiceChanges & { runnerId: string },
  ports: PortBlock,
) {
  const open = db
    .select({ one: sql`1` })
    .from(jobs)
    .where(and(eq(jobs.serviceId, service.id), sql`${jobs.state} in ('queued', 'active')`));
  const live = db
    .select({ one: sql`1` })
    .from(deployments)
    .where(and(eq(deployments.serviceId, service.id), eq(deployments.status, 'running')));
  const port = sql<number>`coalesce(
    (select ${service.hostPort} where ${service.hostPort} between ${ports.first} and ${ports.last}
      and ${service.hostPort} not in (select host_port from services where runner_id = ${changes.runnerId})),
    ${lowestFreePort(changes.runnerId, ports)})`;
  return db
    .update(services)
    .set({ ...changes, hostPort: port })
    .where(and(eq(services.id, service.id), notExists(open), notExists(live)));
}

/** All that hangs on it goes with it (foreign keys); jobs at work end when their report finds no row. */
export function deleteService(db: Database, serviceId: string) {
  return db.delete(services).where(eq(services.id, serviceId));
}

/** Null when the block is full: the column refuses it. */
function lowestFreePort(runnerId: string, { first, last }: PortBlock): SQL<number> {
  return sql`(
    select min(port) from (
      select ${first} as port
      union all select host_port + 1 from services where runner_id = ${runnerId} and host_port between ${first} and ${last - 1}
    ) where port not in (select host_port from services where runner_id = ${runnerId})
  )`;
}
