import { asc, eq, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { runners } from './schema/runners.ts';
import { services } from './schema/services.ts';

export type SearchedServiceRow = Awaited<ReturnType<typeof selectSearchedServices>>[number];

/** Services whose kept logs can be searched, and whether their hosts keep any, in order of creation. */
function selectSearchedServices(db: Database, which: SQL) {
  return db
    .select({
      id: services.id,
      slug: services.slug,
      name: services.name,
      runnerId: services.runnerId,
      runtimeMode: services.runtimeMode,
      staticOutput: services.staticOutput,
      hostName: sql<string>`${runners.name}`.as('host_name'),
      keepsLogs: sql<boolean>`coalesce(${runners.facts} ->> '$.keepsLogs', 0)`
        .mapWith(Boolean)
        .as('keeps_logs'),
      keepsAccessLogs: sql<boolean>`coalesce(${runners.facts} ->> '$.keepsAccessLogs', 0)`
        .mapWith(Boolean)
        .as('keeps_access_logs'),
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
