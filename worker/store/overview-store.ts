import { asc, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { deployments } from './schema/deployments.ts';
import { domains } from './schema/domains.ts';

export type DomainRow = typeof domains.$inferSelect;
/** A deployment without its snapshot, which is large and secret. */
export type ShownDeployment = Omit<typeof deployments.$inferSelect, 'sealedSnapshot'>;

/** The newest deployments of a service, newest first. */
export function selectNewestDeployments(db: Database, serviceId: string, limit: number) {
  const { sealedSnapshot: _, ...shown } = getTableColumns(deployments);
  return db
    .select(shown)
    .from(deployments)
    .where(eq(deployments.serviceId, serviceId))
    .orderBy(desc(deployments.createdAt), desc(sql`deployments.rowid`))
    .limit(limit);
}

export function selectDomains(db: Database, serviceId: string) {
  return db
    .select()
    .from(domains)
    .where(eq(domains.serviceId, serviceId))
    .orderBy(asc(domains.createdAt), asc(domains.id));
}
