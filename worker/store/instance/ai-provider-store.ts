import { asc, eq } from 'drizzle-orm';
import { aiProviders } from '../schema/settings.ts';
import type { Database } from '../sql/database.ts';

export type AiProviderRow = typeof aiProviders.$inferSelect;

/** AI providers in order of connection. */
export function selectAiProviders(db: Database) {
  return db.select().from(aiProviders).orderBy(asc(aiProviders.createdAt), asc(aiProviders.id));
}

export function selectAiProvider(db: Database, providerId: string) {
  return db
    .select({ provider: aiProviders })
    .from(aiProviders)
    .where(eq(aiProviders.id, providerId))
    .limit(1);
}

/** @returns undefined if the id is in use; nothing was written then */
export async function insertAiProvider(db: Database, row: AiProviderRow): Promise<AiProviderRow | undefined> {
  const [inserted] = await db.insert(aiProviders).values(row).onConflictDoNothing().returning();
  return inserted;
}

/** @returns undefined if the provider has been removed since */
export async function updateAiProvider(
  db: Database,
  providerId: string,
  change: Partial<Omit<AiProviderRow, 'id' | 'kind' | 'createdAt'>>,
): Promise<AiProviderRow | undefined> {
  const [row] = await db.update(aiProviders).set(change).where(eq(aiProviders.id, providerId)).returning();
  return row;
}

export async function deleteAiProvider(db: Database, providerId: string): Promise<void> {
  await db.delete(aiProviders).where(eq(aiProviders.id, providerId));
}
