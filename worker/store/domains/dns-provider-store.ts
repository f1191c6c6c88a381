/** Connected DNS providers: one row each, with sealed credentials. */
import { asc, eq } from 'drizzle-orm';
import type { DnsProviderId } from '../../domain/domains/dns-providers.ts';
import { dnsProviders } from '../schema/settings.ts';
import type { Database } from '../sql/database.ts';

export type DnsProviderRow = typeof dnsProviders.$inferSelect;

export function selectDnsProviders(db: Database) {
  return db.select().from(dnsProviders).orderBy(asc(dnsProviders.id));
}

/** @param id from a path or body; an unknown id finds nothing */
export function selectDnsProvider(db: Database, id: string) {
  return db.select().from(dnsProviders).where(eq(dnsProviders.id, id)).limit(1);
}

/** Connects a provider or replaces its credentials. */
export async function saveDnsProvider(
  db: Database,
  provider: { id: DnsProviderId; sealedCredentials: string },
  now: number,
): Promise<DnsProviderRow> {
  const { id, sealedCredentials } = provider;
  const [row] = await db
    .insert(dnsProviders)
    .values({ id, sealedCredentials, createdAt: now, updatedAt: now })
    .onConflictDoUpdate({ target: dnsProviders.id, set: { sealedCredentials, updatedAt: now } })
    .returning();
  if (!row) throw new Error('An upsert returned no row.');
  return row;
}

export async function deleteDnsProvider(db: Database, id: string): Promise<void> {
  await db.delete(dnsProviders).where(eq(dnsProviders.id, id));
}
