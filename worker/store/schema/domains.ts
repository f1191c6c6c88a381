import { sql } from 'drizzle-orm';
import { index, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { CertificateState } from '../../../protocol/domain-state.ts';
import type { CertificateFacts } from '../../domain/domains/own-certificate.ts';
import { flag, json, moment, sealedText } from './columns.ts';
import { services } from './services.ts';

/**
 * Custom domains. Host names are stored lower-cased in ASCII (IDNA). A name is unique in its tenant, and a verified one in the instance;
 * triggers enforce both, because the tenant is a column of the project.
 */
export const domains = sqliteTable(
  'domains',
  {
    id: text('id').primaryKey(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    hostname: text('hostname').notNull(),
    /** Whether the tenant may use the name (domain/name-verification). A name without verification is never sent to a host. */
    isVerified: flag('is_proven').notNull().default(true),
    /** Time of the last check of the verification; `null` before the first. */
    verificationCheckedAt: moment('proof_checked_at'),
    /** `active` if its DNS points to the host. */
    status: text('status', { enum: ['pending', 'active'] }).notNull(),
    /** Result of the last check, as a sentence: of the verification while it is missing, then of the host's DNS check. */
    dnsDetail: text('dns_detail'),
    checkedAt: moment('checked_at'),
    /** The certificate state of this name at the host's proxy; `null` until reported. */
    certificate: json<CertificateState>('certificate'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    index('domains_service').on(table.serviceId),
    index('domains_hostname').on(table.hostname),
    uniqueIndex('domains_proven').on(table.hostname).where(sql`is_proven`),
    index('domains_unproven').on(table.verificationCheckedAt).where(sql`not is_proven`),
  ],
);

/** Deleted or changed host names: for some time no other tenant gets them without verification. Triggers write the rows. */
export const heldNames = sqliteTable('held_names', {
  hostname: text('hostname').primaryKey(),
  /** The tenant that had the name, and can get it back at any time. */
  tenantId: text('tenant_id').notNull(),
  /** End of the reservation, by the database's clock. */
  heldUntil: moment('held_until').notNull(),
});

/** Certificates from owners of domains, at most one for each domain. */
export const ownCertificates = sqliteTable(
  'own_certificates',
  {
    domainId: text('domain_id')
      .primaryKey()
      .references(() => domains.id, { onDelete: 'cascade' }),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    /** The name for which it was provided: a renamed domain does not use it. */
    hostname: text('hostname').notNull(),
    facts: json<CertificateFacts>('facts').notNull(),
    /** Chain and key as JSON, sealed with ENCRYPTION_KEY. */
    sealedCertificate: sealedText('sealed_certificate').notNull(),
    /** The same content, sealed for each host that serves the name: the host's id and its box. */
    boxes: json<Record<string, string>>('boxes').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('own_certificates_service').on(table.serviceId)],
);
