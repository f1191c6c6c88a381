import { sql } from 'drizzle-orm';
import { index, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { moment, sealedText } from './columns.ts';
import { tenants } from './tenants.ts';

/** Keys with which a tenant's backups are encrypted. A retired one stays while a backup needs it. */
export const backupKeys = sqliteTable(
  'backup_keys',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** `age1...`: encrypts. Not a secret. */
    recipient: text('recipient').notNull(),
    /** `AGE-SECRET-KEY-1...`: decrypts. */
    sealedIdentity: sealedText('sealed_identity').notNull(),
    createdAt: moment('created_at').notNull(),
    /** Since when it encrypts no new backup; null: it encrypts them all. */
    retiredAt: moment('retired_at'),
  },
  (table) => [
    uniqueIndex('backup_keys_current').on(table.tenantId).where(sql`retired_at is null`),
    index('backup_keys_tenant').on(table.tenantId),
    index('backup_keys_tenant_created').on(table.tenantId, table.createdAt),
  ],
);
