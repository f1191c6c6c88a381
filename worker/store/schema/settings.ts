import { primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { flag, json, moment, sealedText } from './columns.ts';

/** Settings of the instance, one JSON value per name; names and schemas are in domain/settings.ts. */
export const settings = sqliteTable('settings', {
  name: text('name').primaryKey(),
  value: json<unknown>('value').notNull(),
  updatedAt: moment('updated_at').notNull(),
});

/** DNS providers that the operator connected: `cloudflare`, `namecheap`, `spaceship`. */
export const dnsProviders = sqliteTable('dns_providers', {
  id: text('id').primaryKey(),
  sealedCredentials: sealedText('sealed_credentials').notNull(),
  createdAt: moment('created_at').notNull(),
  updatedAt: moment('updated_at').notNull(),
});

/**
 * TXT records that Longshore created at a DNS provider to verify a tenant's domain (domain/name-verification). The row is written before the
 * record, and deleted after it. Other people's records have no row, so they are never removed.
 */
export const proofRecords = sqliteTable(
  'proof_records',
  {
    providerId: text('provider_id')
      .notNull()
      .references(() => dnsProviders.id, { onDelete: 'cascade' }),
    tenantId: text('tenant_id').notNull(),
    /** The domain that it verifies; the record has `_longshore.` before this name. */
    hostname: text('hostname').notNull(),
    value: text('value').notNull(),
    /** Time of the last attempt to remove it; `null` before the first. */
    removalTriedAt: moment('removal_tried_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.providerId, table.tenantId, table.hostname] })],
);

/**
 * Address records that Longshore created or changed at a DNS provider, with the address that it wrote. A record with another address,
 * or without a row, belongs to somebody else.
 */
export const addressRecords = sqliteTable(
  'address_records',
  {
    providerId: text('provider_id')
      .notNull()
      .references(() => dnsProviders.id, { onDelete: 'cascade' }),
    hostname: text('hostname').notNull(),
    type: text('type', { enum: ['A', 'AAAA'] }).notNull(),
    address: text('address').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.providerId, table.hostname, table.type] })],
);

/** AI providers for explain-failure; `builtin` has no row. */
export const aiProviders = sqliteTable('ai_providers', {
  id: text('id').primaryKey(),
  kind: text('kind', { enum: ['openai-compatible', 'anthropic', 'workers-ai'] }).notNull(),
  baseUrl: text('base_url'),
  defaultModel: text('default_model').notNull(),
  sealedCredentials: sealedText('sealed_credentials').notNull(),
  enabled: flag('enabled').notNull(),
  createdAt: moment('created_at').notNull(),
  updatedAt: moment('updated_at').notNull(),
});

/**
 * TXT records that Longshore created at a DNS provider while a host orders a certificate for a wildcard. The row is written before the
 * record, and deleted after it, so that every record is removed, even after an interruption.
 */
export const challengeRecords = sqliteTable(
  'challenge_records',
  {
    providerId: text('provider_id')
      .notNull()
      .references(() => dnsProviders.id, { onDelete: 'cascade' }),
    /** The wildcard; the record has `_acme-challenge.` before the name without `*.`. */
    hostname: text('hostname').notNull(),
    value: text('value').notNull(),
    /** The host that orders. */
    runnerId: text('runner_id').notNull(),
    /** Whether the order is still running, according to the last report. */
    isWanted: flag('is_wanted').notNull(),
    createdAt: moment('created_at').notNull(),
    /** Time of the last attempt to remove it; `null` before the first. */
    removalTriedAt: moment('removal_tried_at'),
  },
  (table) => [primaryKey({ columns: [table.providerId, table.hostname, table.value] })],
);
