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
    /** `active` once its DNS points at the host. */
    status: text('status', { enum: ['pending', 'active'] }).notNull(),
    /** What the host's last look at the DNS showed, in a sentence. */
    dnsDetail: text('dns_detail'),
    checkedAt: moment('checked_at'),
    /** What the host's proxy has for this name; null until it said so. */
    certificate: json<CertificateState>('certificate'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('domains_service').on(table.serviceId)],
);
