import { asc, eq, or, type SQL, sql } from 'drizzle-orm';
import { runners } from '../schema/runners.ts';
import { services } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';

export type SearchedServiceRow = Awaited<ReturnType<typeof selectSearchedServices>>[number];

/** Services whose kept logs can be searched, in order of creation. */
function selectSearchedServices(db: Database, which: SQL) {
  return db
    .select({
      id: services.id,
      slug: services.slug,
      name: services.name,
      runnerId: services.runnerId,
      hostName: sql<string>`${runners.name}`.as('host_name'),
      runtimeMode: services.runtimeMode,
      staticOutput: services.staticOutput,
    })
    .from(services)
    .innerJoin(runners, eq(runners.id, services.runnerId))
    .where(which)
    .orderBy(asc(services.createdAt), sql`services.rowid`);
}

/** The hosts of these services. @param of the service, or the project of all of them */
export const listHostsOfServices = (db: Database, of: string) =>
  db
    .select({ id: services.id, runnerId: services.runnerId })
    .from(services)
    .where(or(eq(services.id, of), eq(services.projectId, of)));

/** @param serviceId a subquery that may find nothing */
export const selectSearchedService = (db: Database, serviceId: SQL) =>
  selectSearchedServices(db, sql`${services.id} = ${serviceId}`);

/** @param projectId a subquery that may find nothing */
export const selectSearchedServicesOf = (db: Database, projectId: SQL) =>
  selectSearchedServices(db, sql`${services.projectId} = ${projectId}`);

/** A host on which a service ran before it moved. */
export interface EarlierHostRow {
  serviceId: string;
  runnerId: string;
  hostName: string;
  /** Approximate time at which it left: its first successful deployment on another host, or a later one. */
  leftAt: number;
}

/** The hosts that these services have left, according to successful deployments. */
export const listEarlierHosts = (db: Database, serviceIds: readonly string[]) =>
  db.all<EarlierHostRow>(sql`
    with hosts as (select service_id, runner_id, min(finished_at) as first, max(finished_at) as last from jobs
      where service_id in (select value from json_each(${JSON.stringify(serviceIds)})) and state = 'succeeded' and kind = 'deploy'
      group by service_id, runner_id)
    select old.service_id as serviceId, old.runner_id as runnerId, runners.name as hostName,
      case when now.first > old.last then now.first else now.last end as leftAt
    from hosts old join services on services.id = old.service_id and services.runner_id <> old.runner_id
      join hosts now on now.service_id = services.id and now.runner_id = services.runner_id
      join runners on runners.id = old.runner_id
    order by old.service_id, old.last desc`);
