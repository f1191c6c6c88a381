import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment, sealedText } from './columns.ts';

/** Append-only: every write and every refusal of a known key. Values are never in here. */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: text('id').primaryKey(),
    /** Null for the operator. */
    tenantId: text('tenant_id'),
    /** Id of the key, `operator`, `webhook` for what a git host signed, the runner's id, or `system`. */
    actor: text('actor').notNull(),
    /** Method and route pattern; of what the platform did, or could not do, its name. */
    route: text('route').notNull(),
    resourceId: text('resource_id'),
    status: integer('status').notNull(),
    requestId: text('request_id').notNull(),
    /** Keyed fingerprint of the address (security/fingerprint), so that a dump names nobody. */
    addressHash: text('address_hash').notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    index('audit_log_created').on(table.createdAt),
    index('audit_log_tenant').on(table.tenantId, table.createdAt),
  ],
);

/** Failed sign-ins: one row a minute and address hash, never one row a failure. */
export const failedSignIns = sqliteTable(
  'failed_sign_ins',
  {
    /** Epoch minute. */
    minute: integer('minute').notNull(),
    addressHash: text('address_hash').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.minute, table.addressHash] })],
);

/** What a POST with an `Idempotency-Key` answered, for 24 h. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    keyId: text('key_id').notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    /** Keyed fingerprint of method, path and body: the same key with another request is refused. */
    requestHash: text('request_hash').notNull(),
    /** Chosen by the first request for what it creates. A repeat whose forerunner got lost looks for it, and can't make a second one. */
    createdId: text('created_id').notNull().default(''),
    /** The answer's text; null while the request is at work. */
    sealedResponse: sealedText('response'),
    /** Of the last attempt. */
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.idempotencyKey] }),
    index('idempotency_keys_created').on(table.createdAt),
  ],
);
