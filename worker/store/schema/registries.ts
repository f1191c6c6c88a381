import { sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { moment, sealedText } from './columns.ts';
import { tenants } from './tenants.ts';

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
