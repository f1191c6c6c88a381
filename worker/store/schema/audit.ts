import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment, sealedText } from './columns.ts';

/** What an entry adds to its route and resource. */
export type AuditDetail = ShellDetail | LinkDetail | ReplacedAddressDetail;

/** Of a DNS record of somebody else that was changed: where the name pointed before. */
export interface ReplacedAddressDetail {
  hostname: string;
  replaced: string[];
}

/** Of a session that was opened by a link: ids of the members who made the links that led to it. */
export interface LinkDetail {
  linkedBy: string[];
}

/** Of a shell: where it is, and once it is over how long it took and what passed. */
export interface ShellDetail {
  serviceId: string;
  container: string;
  seconds?: number;
  bytesIn?: number;
  bytesOut?: number;
  exitCode?: number | null;
  reason?: string | null;
}

/** Append-only: every write and every refusal of a known caller. It never contains values. */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: text('id').primaryKey(),
    /** Null for the operator. */
    tenantId: text('tenant_id'),
    /** Id of the key, `operator`, `webhook` for a signed delivery, the runner's id, or `system`. */
    actor: text('actor').notNull(),
    /** Method and route pattern, or the name of an event of the platform. */
    route: text('route').notNull(),
    resourceId: text('resource_id'),
    status: integer('status').notNull(),
    requestId: text('request_id').notNull(),
    /** Keyed fingerprint of the address (security/fingerprint), so that a dump of the database contains no addresses. */
    addressHash: text('address_hash').notNull(),
    createdAt: moment('created_at').notNull(),
    /** JSON of ids, numbers and words of the platform: never what a user wrote. */
    detail: text('detail', { mode: 'json' }).$type<AuditDetail>(),
  },
  (table) => [
    index('audit_log_created').on(table.createdAt),
    index('audit_log_tenant').on(table.tenantId, table.createdAt),
    // Each list of hosts asks for the few of the last day.
    index('audit_log_host_copied').on(table.createdAt).where(sql`route = 'host.copied'`),
  ],
);

/** Failed sign-ins: one row per minute and address hash, not per failure. */
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

/** Responses to POSTs with an `Idempotency-Key`, for 24 h. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    keyId: text('key_id').notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    /** Keyed fingerprint of method, path and body: another request with the same key is refused. */
    requestHash: text('request_hash').notNull(),
    /** Chosen by the first request for what it creates, so that a repeat can find it and can't create a second one. */
    createdId: text('created_id').notNull().default(''),
    /** The response text; null while the request is in progress. */
    sealedResponse: sealedText('response'),
    /** Time of the last attempt. */
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.idempotencyKey] }),
    index('idempotency_keys_created').on(table.createdAt),
  ],
);
