import { sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { Quotas } from '../../domain/quotas.ts';
import { json, moment, sealedText } from './columns.ts';

/** Owner of projects, keys and audit rows. `default` always exists; an instance with only this tenant never shows tenants. */
export const tenants = sqliteTable('tenants', {
  id: text('id').primaryKey(),
  name: text('name').notNull().unique(),
  quotas: json<Quotas>('quotas').notNull(),
  /** What the TXT records of this tenant's domains contain (domain/name-verification). Random, set by a trigger, constant; not a secret. */
  nameToken: text('name_token').notNull().default(''),
  createdAt: moment('created_at').notNull(),
});

/** Logins of tenants at registries of container images. */
export const registries = sqliteTable(
  'registries',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** Host with port, as names of images write it; Docker Hub is `docker.io`. */
    host: text('host').notNull(),
    username: text('username').notNull(),
    sealedPassword: sealedText('sealed_password').notNull(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [uniqueIndex('registries_tenant_host').on(table.tenantId, table.host)],
);
