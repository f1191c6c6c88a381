import { sql } from 'drizzle-orm';
import { index, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { statusApis } from '../../domain/sources/commit-status/status-apis.ts';
import { flag, moment, sealedText } from './columns.ts';
import { tenants } from './tenants.ts';

export const projects = sqliteTable(
  'projects',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    name: text('name').notNull(),
    /** Derived from the first name; renaming does not change it. */
    slug: text('slug').notNull(),
    description: text('description').notNull(),
    /**
     * The project's data key, wrapped with the Worker secret ENCRYPTION_KEY. It seals all secrets of the project. During a replacement:
     * the new key, a space, and the previous one (security/secret-envelope).
     */
    wrappedDataKey: sealedText('wrapped_data_key').notNull(),
    /** Time of the last replacement of the data key; `null` if there was none. */
    dataKeyRenewedAt: moment('data_key_renewed_at'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('projects_tenant_slug').on(table.tenantId, table.slug),
    index('projects_tenant_created').on(table.tenantId, table.createdAt),
  ],
);

/** GitHub Apps of tenants: one for each host of GitHub. Its git credential uses the App instead of a stored token. */
export const gitHubApps = sqliteTable(
  'github_apps',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    host: text('host').notNull(),
    organization: text('organization'),
    /** The key or session that began the registration. */
    requestedBy: text('requested_by'),
    /** SHA-256 of the registration's state parameter; `null` after the registration. */
    stateHash: text('state_hash'),
    /** Time by which the registration has to be finished. */
    stateExpiresAt: moment('state_expires_at'),
    /** GitHub's id; this and the following columns are `null` until the registration is finished. */
    appId: text('app_id'),
    slug: text('slug'),
    name: text('name'),
    owner: text('owner'),
    htmlUrl: text('html_url'),
    /** Private key and webhook secret, sealed as JSON. */
    sealedSecrets: sealedText('sealed_secrets'),
    deployOnPush: flag('deploy_on_push').notNull(),
    commitStatus: flag('commit_status').notNull(),
    /** Time of the first delivery that was verified with its secret; `null` before that. */
    verifiedAt: moment('verified_at'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('github_apps_tenant_host').on(table.tenantId, table.host),
    index('github_apps_state').on(table.stateHash),
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
    /** The only project whose services use it; `null`: all projects of the tenant. */
    projectId: text('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    /** In the form of protocol/credentials. */
    host: text('host').notNull(),
    username: text('username').notNull(),
    sealedToken: sealedText('sealed_token').notNull(),
    /** The GitHub App that creates its tokens, instead of a stored token. */
    gitHubAppId: text('github_app_id').references(() => gitHubApps.id, { onDelete: 'cascade' }),
    /** The API with which the git host receives deployment states; `null` if it receives none. */
    commitStatus: text('commit_status', { enum: statusApis }),
    /** Why the git host refused the last status; `null` if it accepted it, or there was none. */
    commitStatusFailure: text('commit_status_failure'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    index('git_credentials_tenant').on(table.tenantId),
    index('git_credentials_github_app').on(table.gitHubAppId),
    index('git_credentials_tenant_place').on(table.tenantId, table.host),
    uniqueIndex('git_credentials_tenant_host').on(table.tenantId, table.host).where(sql`project_id is null`),
    uniqueIndex('git_credentials_project_host')
      .on(table.projectId, table.host)
      .where(sql`project_id is not null`),
  ],
);
