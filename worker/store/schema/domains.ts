import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { CertificateState } from '../../../protocol/domain-state.ts';
import { json, moment } from './columns.ts';
import { services } from './services.ts';

/** Custom domains. Host names are stored lower-cased in ASCII (IDNA) and are unique in the instance. */
export const domains = sqliteTable(
  'domains',
  {
    id: text('id').primaryKey(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    hostname: text('hostname').notNull().unique(),
    /** `active` once its DNS points to the host. */
    status: text('status', { enum: ['pending', 'active'] }).notNull(),
    /** Result of the host's last DNS check, as a sentence. */
    dnsDetail: text('dns_detail'),
    checkedAt: moment('checked_at'),
    /** The certificate state of this name at the host's proxy; null until reported. */
    certificate: json<CertificateState>('certificate'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('domains_service').on(table.serviceId)],
);
