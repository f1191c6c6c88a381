import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Initiator } from '../../domain/access/initiator.ts';
import { json, moment, sealedText } from './columns.ts';

/** Details of an entry besides its route and resource. */
export type AuditDetail = ShellDetail | LinkDetail | ReplacedAddressDetail | BrokenRuleDetail;

/** After the change of a DNS record that Longshore did not create: the address to which the name pointed before. */
export interface ReplacedAddressDetail {
  hostname: string;
  replaced: string[];
}

/** For a refused job of a CI service: the field of the trust policy that its identity token does not fulfil. */
export interface BrokenRuleDetail {
  brokenRule: string;
}

/** For a session that was opened by a link: ids of the members whose links led to it. */
export interface LinkDetail {
  linkedBy: string[];
}

/** For a shell: its place and, after its end, its duration and its traffic. */
export interface ShellDetail {
  serviceId: string;
  container: string;
  seconds?: number;
  bytesIn?: number;
  bytesOut?: number;
  exitCode?: number | null;
  reason?: string | null;
}

/** Append-only: every write and every refusal of a known caller. Contains no values but the names of members and keys. */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: text('id').primaryKey(),
    /** `null` for the operator. */
    tenantId: text('tenant_id'),
    /** Id of the key, `operator`, `webhook` for a signed delivery, the runner's id, or `system`. */
    actor: text('actor').notNull(),
    /** The member, key or other initiator behind `actor`; `null` in entries from before this was recorded. */
    actedBy: json<Initiator>('acted_by'),
    /** Method and route pattern, or the name of a platform event. */
    route: text('route').notNull(),
    resourceId: text('resource_id'),
    status: integer('status').notNull(),
    requestId: text('request_id').notNull(),
    /** Keyed fingerprint of the address (security/fingerprint), so that a dump of the database contains no addresses. */
    addressHash: text('address_hash').notNull(),
    createdAt: moment('created_at').notNull(),
    /** JSON of ids, numbers and the platform's own words, never text from a user. */
    detail: text('detail', { mode: 'json' }).$type<AuditDetail>(),
  },
  (table) => [
    index('audit_log_created').on(table.createdAt),
    index('audit_log_tenant').on(table.tenantId, table.createdAt),
    // Each list of hosts reads the few rows of the last day.
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
    /** The id that the first request reserved for the created resource, so that a repeat finds the resource and can't create a second one. */
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
