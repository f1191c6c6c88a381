import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Quotas } from '../../domain/quotas.ts';
import { json, moment } from './columns.ts';

/** Owner of projects, keys and audit rows. `default` always exists; an instance with only this tenant never shows tenants. */
export const tenants = sqliteTable('tenants', {
  id: text('id').primaryKey(),
  name: text('name').notNull().unique(),
  quotas: json<Quotas>('quotas').notNull(),
  /** What the TXT records of this tenant's domains contain (domain/name-verification). Random, set by a trigger, constant; not a secret. */
  nameToken: text('name_token').notNull().default(''),
  createdAt: moment('created_at').notNull(),
});
