import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Quotas } from '../../domain/quotas.ts';
import { json, moment } from './columns.ts';

/** Owner of projects, keys and audit rows. `default` always exists; an instance with only this tenant never shows tenants. */
export const tenants = sqliteTable('tenants', {
  id: text('id').primaryKey(),
  name: text('name').notNull().unique(),
  quotas: json<Quotas>('quotas').notNull(),
  createdAt: moment('created_at').notNull(),
});
