import { sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { flag, moment, sealedText } from './columns.ts';
import { services } from './services.ts';

/** Environment variables of services. Values are sealed with the project's data key. */
export const variables = sqliteTable(
  'variables',
  {
    id: text('id').primaryKey(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    sealedValue: sealedText('sealed_value').notNull(),
    /** The choice of the request that set it; null: the rule decides whenever it is read (domain/secret-variables). */
    secret: flag('secret'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [uniqueIndex('variables_service_key').on(table.serviceId, table.key)],
);
