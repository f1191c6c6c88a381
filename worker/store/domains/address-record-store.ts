/** Address records that Longshore made at DNS providers, and the addresses of its hosts: what it may change without a question. */
import { and, eq, sql } from 'drizzle-orm';
import { runners } from '../schema/runners.ts';
import { addressRecords } from '../schema/settings.ts';
import type { Database } from '../sql/database.ts';

/** Public addresses of all hosts, as they report them. */
export const selectPublicAddresses = (db: Database) =>
  db
    .selectDistinct({ address: sql<string>`${runners.facts} ->> 'publicIp'` })
    .from(runners)
    .where(sql`${runners.facts} ->> 'publicIp' is not null`);

/** The addresses to which Longshore has pointed a name. */
export const selectMadeAddresses = (db: Database, providerId: string, hostname: string) =>
  db
    .select({ address: addressRecords.address })
    .from(addressRecords)
    .where(and(eq(addressRecords.providerId, providerId), eq(addressRecords.hostname, hostname)));

/** Remembers to which address it has pointed a name. */
export async function saveMadeAddress(db: Database, row: typeof addressRecords.$inferInsert): Promise<void> {
  const { address, updatedAt } = row;
  const { providerId, hostname, type } = addressRecords;
  await db
    .insert(addressRecords)
    .values(row)
    .onConflictDoUpdate({ target: [providerId, hostname, type], set: { address, updatedAt } });
}
