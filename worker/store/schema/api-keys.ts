import {
  type AnySQLiteColumn,
  index,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { keyKinds, keyLevels } from '../../domain/key-levels.ts';
import { memberRoles } from '../../domain/members.ts';
import { flag, moment } from './columns.ts';
import { projects } from './projects.ts';
import { tenants } from './tenants.ts';

export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    name: text('name').notNull(),
    access: text('access', { enum: keyLevels }).notNull(),
    kind: text('kind', { enum: keyKinds }).notNull().default('key'),
    /** All projects of the tenant; otherwise those in api_key_projects. */
    allProjects: flag('all_projects').notNull(),
    /** The 8 characters in the token that find this row. */
    tokenId: text('token_id').notNull().unique(),
    /** SHA-256 of the token's secret part, hex. */
    secretHash: text('secret_hash').notNull(),
    /** The token before the last rotation, until `previousUntil`. */
    previousTokenId: text('previous_token_id').unique(),
    previousSecretHash: text('previous_secret_hash'),
    previousUntil: moment('previous_until'),
    /** The key that made this short-lived one; null: the operator did. */
    madeBy: text('made_by').references((): AnySQLiteColumn => apiKeys.id),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
    /** Truncated to the minute and written at most every 10 minutes. */
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    index('api_keys_tenant').on(table.tenantId),
    index('api_keys_made_by').on(table.madeBy),
    index('api_keys_made_by_created').on(table.madeBy, table.createdAt),
    index('api_keys_created').on(table.createdAt),
  ],
);

/** The projects that a key for chosen projects can access. */
export const apiKeyProjects = sqliteTable(
  'api_key_projects',
  {
    keyId: text('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.projectId] }),
    index('api_key_projects_project').on(table.projectId),
  ],
);

/**
 * People of a tenant. The row of `api_keys` with the same id, of the kind `member`, has the name, the level and the projects; sessions are made
 * by it. A removed member has no row here.
 */
export const members = sqliteTable(
  'members',
  {
    id: text('id')
      .primaryKey()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** In lower case. */
    email: text('email').notNull(),
    role: text('role', { enum: memberRoles }).notNull(),
    /** The owner who invited; null: the operator. */
    invitedBy: text('invited_by'),
    /** Of the first session; null: invited. */
    acceptedAt: moment('accepted_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('members_tenant_email').on(table.tenantId, table.email),
    index('members_tenant_created').on(table.tenantId, table.createdAt),
    index('members_invited_by').on(table.invitedBy),
  ],
);
