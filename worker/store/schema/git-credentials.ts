import { sql } from 'drizzle-orm';
import { index, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { moment, sealedText } from './columns.ts';
import { projects } from './projects.ts';
import { tenants } from './tenants.ts';

/** Credentials of git hosts, of tenants or of single projects. */
export const gitCredentials = sqliteTable(
  'git_credentials',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** The only project whose services use it; null: all projects of the tenant. */
    projectId: text('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    /** As protocol/git-credential writes it. */
    host: text('host').notNull(),
    username: text('username').notNull(),
    sealedToken: sealedText('sealed_token').notNull(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    index('git_credentials_tenant').on(table.tenantId),
    uniqueIndex('git_credentials_tenant_host').on(table.tenantId, table.host).where(sql`project_id is null`),
    uniqueIndex('git_credentials_project_host')
      .on(table.projectId, table.host)
      .where(sql`project_id is not null`),
  ],
);
