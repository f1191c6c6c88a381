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
    /** What the TXT records of this tenant's domains contain (domain/name-verification). Random, set by a trigger, constant; not a secret. */
    nameToken: text('name_token').notNull().default(''),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [index('tenants_created').on(table.createdAt)],
);

/**
 * What a tenant uses at the moment. Triggers count with each row that is written or deleted, in its transaction (migrations/README.md), so
 * a quota costs one row however much there is.
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
  /** What services, and deleted databases and volumes hold on the disks of hosts, as last measured. */
  diskMb: integer('disk_mb').notNull().default(0),
  /** Those of deleted backups that can be restored included. */
  backupBytes: integer('backup_bytes').notNull().default(0),
  /** Logs of deployments and commands that have ended, in their objects and in the archive. */
  logBytes: integer('log_bytes').notNull().default(0),
  keptDeletions: integer('kept_deletions').notNull().default(0),
  keptDeletionBytes: integer('kept_deletion_bytes').notNull().default(0),
});

/** Quotas that refused something: when they last did, to five minutes. */
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
    /** Host with port, as names of images write it; Docker Hub is `docker.io`. */
    host: text('host').notNull(),
    username: text('username').notNull(),
    sealedPassword: sealedText('sealed_password').notNull(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [uniqueIndex('registries_tenant_host').on(table.tenantId, table.host)],
);
