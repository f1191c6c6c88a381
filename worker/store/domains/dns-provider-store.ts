/** Connected DNS providers: one row each, with sealed credentials. */
import { and, asc, eq, sql } from 'drizzle-orm';
import type { DnsProviderId } from '../../domain/domains/dns-providers.ts';
import { runners } from '../schema/runners.ts';
import { addressRecords, dnsProviders } from '../schema/settings.ts';
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

/** Public addresses that the hosts report: Longshore may change records with one of these addresses without asking. */
export const selectPublicAddresses = (db: Database) =>
  db
    .selectDistinct({ address: sql<string>`${runners.facts} ->> 'publicIp'` })
    .from(runners)
    .where(sql`${runners.facts} ->> 'publicIp' is not null`);

/** The addresses in records that Longshore has written for a name. */
export const selectMadeAddresses = (db: Database, providerId: string, hostname: string) =>
  db
    .select({ address: addressRecords.address })
    .from(addressRecords)
    .where(and(eq(addressRecords.providerId, providerId), eq(addressRecords.hostname, hostname)));

/** Stores the address in a record that Longshore has written for a name. */
export async function saveMadeAddress(db: Database, row: typeof addressRecords.$inferInsert): Promise<void> {
  const { address, updatedAt } = row;
  const { providerId, hostname, type } = addressRecords;
  await db
    .insert(addressRecords)
    .values(row)
    .onConflictDoUpdate({ target: [providerId, hostname, type], set: { address, updatedAt } });
}
