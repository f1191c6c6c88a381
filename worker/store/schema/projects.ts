import { sql } from 'drizzle-orm';
import { index, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { statusApis } from '../../domain/commit-status/status-apis.ts';
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
    /** Made from the first name; renaming does not change it. */
    slug: text('slug').notNull(),
    description: text('description').notNull(),
    /**
     * The project's data key, wrapped with the Worker secret ENCRYPTION_KEY. It seals all secrets of the project. While it is made anew:
     * the new key, a space, and the one before (security/secret-envelope).
     */
    wrappedDataKey: sealedText('wrapped_data_key').notNull(),
    /** When the data key was last made anew; null: never. */
    dataKeyRenewedAt: moment('data_key_renewed_at'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('projects_tenant_slug').on(table.tenantId, table.slug),
    index('projects_tenant_created').on(table.tenantId, table.createdAt),
  ],
);

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
    /** As protocol/credentials writes it. */
    host: text('host').notNull(),
    username: text('username').notNull(),
    sealedToken: sealedText('sealed_token').notNull(),
    /** The API by which the git host gets the state of deployments; null: it gets none. */
    commitStatus: text('commit_status', { enum: statusApis }),
    /** Why the git host did not take the last status; null: it did, or there was none. */
    commitStatusFailure: text('commit_status_failure'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    index('git_credentials_tenant').on(table.tenantId),
    index('git_credentials_tenant_place').on(table.tenantId, table.host),
    uniqueIndex('git_credentials_tenant_host').on(table.tenantId, table.host).where(sql`project_id is null`),
    uniqueIndex('git_credentials_project_host')
      .on(table.projectId, table.host)
      .where(sql`project_id is not null`),
  ],
);
