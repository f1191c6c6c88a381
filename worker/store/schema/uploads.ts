import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment } from './columns.ts';

/**
 * Dump files on their way into a database: objects in the bucket until their import has ended, or nobody used them. No foreign keys: a row
 * goes after its object, also when the service has gone before.
 */
export const uploads = sqliteTable(
  'uploads',
  {
    id: text('id').primaryKey(),
    /** The database that it may fill. */
    serviceId: text('service_id').notNull(),
    /** The bucket's own name of the upload in parts. */
    blobId: text('blob_id').notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    /** `sha256:<hex>` as the client has said it; null: it has not. */
    checksum: text('checksum'),
    /** What it is used for; null: nothing yet. */
    importId: text('import_id'),
    createdAt: moment('created_at').notNull(),
    /** Unused it is refused from then on; 0: it was taken back. */
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    index('uploads_service').on(table.serviceId),
    index('uploads_import').on(table.importId),
    index('uploads_expiry').on(table.expiresAt),
  ],
);

/** Parts that have come whole. */
export const uploadParts = sqliteTable(
  'upload_parts',
  {
    uploadId: text('upload_id')
      .notNull()
      .references(() => uploads.id, { onDelete: 'cascade' }),
    part: integer('part').notNull(),
    /** The bucket's name of these bytes; of a part that came again the last one. */
    tag: text('tag').notNull(),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.part] })],
);
