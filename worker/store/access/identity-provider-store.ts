import { asc, eq, sql } from 'drizzle-orm';
import { identityProviders } from '../schema/api-keys.ts';
import type { Database } from '../sql/database.ts';

export type IdentityProviderRow = typeof identityProviders.$inferSelect;

/** Identity providers in order of connection. */
export function selectIdentityProviders(db: Database) {
  return db
    .select()
    .from(identityProviders)
    .orderBy(asc(identityProviders.createdAt), asc(identityProviders.id));
}

export function selectIdentityProvider(db: Database, providerId: string) {
  return db
    .select({ provider: identityProviders })
    .from(identityProviders)
    .where(eq(identityProviders.id, providerId))
    .limit(1);
}

/** @returns `taken` if the id is in use, `full` if there are too many; nothing was written then */
export async function insertIdentityProvider(
  db: Database,
  row: IdentityProviderRow,
  providersMax: number,
): Promise<'inserted' | 'taken' | 'full'> {
  const [inserted, excess] = await db.batch([
    db.insert(identityProviders).values(row).onConflictDoNothing().returning({ id: identityProviders.id }),
    db.all(
      sql`delete from identity_providers where id = ${row.id} and (select count(*) from identity_providers) > ${providersMax} returning id`,
    ),
  ]);
  if (inserted.length === 0) return 'taken';
  return excess.length > 0 ? 'full' : 'inserted';
}

/** @returns undefined if the provider has been removed since */
export async function updateIdentityProvider(
  db: Database,
  providerId: string,
  change: Partial<Omit<IdentityProviderRow, 'id' | 'kind' | 'tenantId' | 'createdAt'>>,
): Promise<IdentityProviderRow | undefined> {
  const [row] = await db
    .update(identityProviders)
    .set(change)
    .where(eq(identityProviders.id, providerId))
    .returning();
  return row;
}

/** Also deletes the provider's identities; members and their sessions remain. */
export async function deleteIdentityProvider(db: Database, providerId: string): Promise<void> {
  await db.delete(identityProviders).where(eq(identityProviders.id, providerId));
}
