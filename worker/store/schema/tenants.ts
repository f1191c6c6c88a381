import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { json, moment } from './columns.ts';

/** Ceilings of a tenant; an absent one is no ceiling. */
export interface TenantQuotas {
  projects?: number;
  services?: number;
  concurrentBuilds?: number;
  memoryMb?: number;
  backupBytes?: number;
}

/** Owner of projects, keys and audit rows. `ten_default…` always exists; an instance with no other never shows tenants. */
export const tenants = sqliteTable('tenants', {
  id: text('id').primaryKey(),
  name: text('name').notNull().unique(),
  quotas: json<TenantQuotas>('quotas').notNull(),
  createdAt: moment('created_at').notNull(),
});
