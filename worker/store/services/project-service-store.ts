import { asc, eq, type SQL, sql } from 'drizzle-orm';
import { runners } from '../schema/runners.ts';
import { services } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';
import { preferredDomain } from './service-view-store.ts';

export type ProjectServiceRow = Awaited<ReturnType<typeof selectProjectServices>>[number];

/** The services of a project, with the columns for references, in order of creation. */
export function selectProjectServices(db: Database, projectId: string | SQL) {
  return db
    .select({
      id: services.id,
      slug: services.slug,
      name: services.name,
      runnerId: services.runnerId,
      nextRunnerId: services.nextRunnerId,
      repoFullName: services.repoFullName,
      repoUrl: services.repoUrl,
      runtimeMode: services.runtimeMode,
      staticOutput: services.staticOutput,
      generatedHostname: services.generatedHostname,
      preferredDomain: preferredDomain.as('preferred_domain'),
      internalPort: services.internalPort,
      hostPort: services.hostPort,
      sleepAfterMinutes: services.sleepAfterMinutes,
      databasePublicEnabled: services.databasePublicEnabled,
      databasePublicHostname: services.databasePublicHostname,
      /** The address that its host reports, and the ports of its proxy. */
      hostIp: sql<string | null>`${runners.facts} ->> '$.publicIp'`.as('host_ip'),
      httpPort: sql<number>`${runners.facts} ->> '$.httpPort'`.as('http_port'),
      httpsPort: sql<number>`${runners.facts} ->> '$.httpsPort'`.as('https_port'),
    })
    .from(services)
    .innerJoin(runners, eq(runners.id, services.runnerId))
    .where(eq(services.projectId, projectId))
    .orderBy(asc(services.createdAt), sql`services.rowid`);
}
