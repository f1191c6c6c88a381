import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Initiator } from '../../domain/access/initiator.ts';
import { ciProviders } from '../../domain/access/trust/ci-providers.ts';
import { apiKeys } from './api-keys.ts';
import { json, moment } from './columns.ts';

/**
 * Which jobs of a CI service get a key for a project. The row of `api_keys` with the same id, of the kind `trust-policy`, has the level; it is
 * the maker of the keys. A policy stays while its project is deleted and can be restored.
 */
export const trustPolicies = sqliteTable(
  'trust_policies',
  {
    id: text('id')
      .primaryKey()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    projectId: text('project_id').notNull(),
    provider: text('provider', { enum: ciProviders }).notNull(),
    issuer: text('issuer').notNull(),
    audience: text('audience').notNull(),
    /** `owner/name`; `null` for the provider `other`. */
    repository: text('repository'),
    /** A pattern; `null` for all providers but `other`. */
    subject: text('subject'),
    /** Set by the user or by the first accepted token; `null` until then, and for providers without ids. */
    repositoryId: text('repository_id'),
    ownerId: text('owner_id'),
    branches: json<string[]>('branches').notNull(),
    tags: json<string[]>('tags').notNull(),
    environment: text('environment'),
    events: json<string[]>('events').notNull(),
    /** Lifetime of the keys. */
    expiresInMinutes: integer('expires_in_minutes').notNull(),
    createdBy: json<Initiator>('created_by').notNull(),
    createdAt: moment('created_at').notNull(),
    /** Time of the last change of a rule by a user. */
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('trust_policies_project').on(table.projectId, table.createdAt)],
);
