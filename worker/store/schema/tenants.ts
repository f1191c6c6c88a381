import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { Quotas } from '../../domain/tenants/quotas.ts';
import { json, moment, sealedText } from './columns.ts';

/** Owner of projects, keys and audit rows. `default` always exists; an instance with only this tenant never shows tenants. */
export const tenants = sqliteTable(
  'tenants',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull().unique(),
    quotas: json<Quotas>('quotas').notNull(),
    /** The content of the TXT records for this tenant's domains (domain/name-verification). Random, set by a trigger, constant; not a secret. */
    nameToken: text('name_token').notNull().default(''),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [index('tenants_created').on(table.createdAt)],
);

/**
 * A tenant's present use. Triggers count each written or deleted row, in the same transaction (migrations/README.md), so checking a quota
 * reads one row for any amount of use.
 */
export const tenantUsage = sqliteTable('tenant_usage', {
  tenantId: text('tenant_id')
    .primaryKey()
    .references(() => tenants.id, { onDelete: 'cascade' }),
  projects: integer('projects').notNull().default(0),
  services: integer('services').notNull().default(0),
  domains: integer('domains').notNull().default(0),
  volumes: integer('volumes').notNull().default(0),
  /** Sum of the services' limits; a service without one counts as 512. */
  memoryMb: integer('memory_mb').notNull().default(0),
  /** Size of services, and of deleted databases and volumes, on the disks of hosts, as last measured. */
  diskMb: integer('disk_mb').notNull().default(0),
  /** Includes deleted backups that can be restored. */
  backupBytes: integer('backup_bytes').notNull().default(0),
  /** Logs of deployments and commands that have ended, in their objects and in the archive. */
  logBytes: integer('log_bytes').notNull().default(0),
  keptDeletions: integer('kept_deletions').notNull().default(0),
  keptDeletionBytes: integer('kept_deletion_bytes').notNull().default(0),
});

/** Quotas that refused something, with the time of the last refusal, to five minutes. */
export const quotaRefusals = sqliteTable(
  'quota_refusals',
  {
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id, { onDelete: 'cascade' }),
    quota: text('quota').notNull(),
    refusedAt: moment('refused_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.quota] }),
    index('quota_refusals_time').on(table.refusedAt),
  ],
);

/** Logins of tenants at registries of container images. */
export const registries = sqliteTable(
  'registries',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** Host with port, in the form of image names; Docker Hub is `docker.io`. */
    host: text('host').notNull(),
    username: text('username').notNull(),
    sealedPassword: sealedText('sealed_password').notNull(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [uniqueIndex('registries_tenant_host').on(table.tenantId, table.host)],
);
