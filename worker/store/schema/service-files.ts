import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment, sealedText } from './columns.ts';
import { services } from './services.ts';

/** Files that are mounted into the containers of services: one row for all files of a service, so that they change and move together. */
export const serviceFiles = sqliteTable('service_files', {
  serviceId: text('service_id')
    .primaryKey()
    .references(() => services.id, { onDelete: 'cascade' }),
  /** The list as JSON (domain/mounted-files), sealed with the project's data key. */
  sealedFiles: sealedText('sealed_files').notNull(),
  updatedAt: moment('updated_at').notNull(),
});
