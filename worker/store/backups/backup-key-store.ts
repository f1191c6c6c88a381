/** Keys of encrypted backups. */
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { apiKeys } from '../schema/api-keys.ts';
import { backupKeys } from '../schema/backups.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';

export type BackupKeyRow = typeof backupKeys.$inferSelect;
export interface BackupKeyView extends BackupKeyRow {
  /** Number of backups that the key decrypts, including deleted ones that can be restored. */
  backups: number;
}

/** A job that encrypts with a key ends within hours of its retirement. */
const unusedKeptMs = 24 * 3_600_000;

/** The plus removes the column's type, because the index has no type for the compared value. */
const backupsOf = (keyId: SQL) => sql<number>`((select count(*) from backups where encrypted_with = ${keyId})
  + (select count(*) from deleted_rows where source = 'backups' and row ->> 'encrypted_with' = +${keyId}))`;

/** A page of a tenant's keys, newest first. */
export function listBackupKeys(db: Database, tenantId: string, page: Page): Promise<BackupKeyView[]> {
  const columns = { at: backupKeys.createdAt, key: backupKeys.id };
  const { after, orderBy, limit } = keysetOf(columns, 'newest', page);
  return keysWithUse(db)
    .where(and(eq(backupKeys.tenantId, tenantId), after))
    .orderBy(...orderBy)
    .limit(limit);
}

export async function findBackupKey(db: Database, keyId: string): Promise<BackupKeyView | undefined> {
  const [row] = await keysWithUse(db).where(eq(backupKeys.id, keyId));
  return row;
}

/** A key of the caller's tenant, for a caller with all projects. */
export function selectScopedBackupKey(db: Database, tokenId: string, keyId: string) {
  return db
    .select({ backupKey: columnsAs(backupKeys, 'backupKey') })
    .from(backupKeys)
    .innerJoin(apiKeys, and(eq(apiKeys.tenantId, backupKeys.tenantId), eq(apiKeys.tokenId, tokenId)))
    .where(and(eq(backupKeys.id, keyId), eq(apiKeys.allProjects, true)))
    .limit(1);
}

/** Makes `key` the key for encryption. Keys that no backup needs any more are deleted. */
export async function insertBackupKey(db: Database, key: Omit<BackupKeyRow, 'retiredAt'>): Promise<void> {
  const { tenantId, createdAt } = key;
  await db.batch([
    db
      .update(backupKeys)
      .set({ retiredAt: createdAt })
      .where(and(eq(backupKeys.tenantId, tenantId), isNull(backupKeys.retiredAt))),
    db
      .delete(backupKeys)
      .where(
        sql`tenant_id = ${tenantId} and retired_at < ${createdAt - unusedKeptMs} and ${backupsOf(sql`backup_keys.id`)} = 0`,
      ),
    db.insert(backupKeys).values({ ...key, retiredAt: null }),
  ]);
}

/** No effect if the key is already retired. */
export async function retireBackupKey(db: Database, keyId: string, at: number): Promise<void> {
  await db
    .update(backupKeys)
    .set({ retiredAt: at })
    .where(and(eq(backupKeys.id, keyId), isNull(backupKeys.retiredAt)));
}

const keysWithUse = (db: Database) =>
  db
    .select({
      id: backupKeys.id,
      tenantId: backupKeys.tenantId,
      recipient: backupKeys.recipient,
      sealedIdentity: backupKeys.sealedIdentity,
      createdAt: backupKeys.createdAt,
      retiredAt: backupKeys.retiredAt,
      backups: backupsOf(sql`backup_keys.id`),
    })
    .from(backupKeys)
    .$dynamic();
