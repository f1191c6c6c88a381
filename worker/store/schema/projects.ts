import { sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { moment, sealedText } from './columns.ts';
import { tenants } from './tenants.ts';

export const projects = sqliteTable(
  'projects',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    name: text('name').notNull(),
    /** Made from the first name, kept through renames. */
    slug: text('slug').notNull(),
    description: text('description').notNull(),
    /** The project's data key, wrapped by the Worker secret ENCRYPTION_KEY. All secrets of the project are sealed with it. */
    wrappedDataKey: sealedText('wrapped_data_key').notNull(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [uniqueIndex('projects_tenant_slug').on(table.tenantId, table.slug)],
);
