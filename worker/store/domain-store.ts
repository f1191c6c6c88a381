import { asc, eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { domains } from './schema/domains.ts';

export type DomainRow = typeof domains.$inferSelect;

/** The custom domains of a service, in the order of creation. */
export function selectDomains(db: Database, serviceId: string) {
  return db
    .select()
    .from(domains)
    .where(eq(domains.serviceId, serviceId))
    .orderBy(asc(domains.createdAt), asc(domains.id));
}
