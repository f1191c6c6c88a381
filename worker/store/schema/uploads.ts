import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment } from './columns.ts';

/**
 * Files in the bucket: dump files until their import has ended, packed folders while a deployment may build them, and both until they
 * expire unused. No foreign keys: a row is deleted after its object, even if the service no longer exists.
 */
export const uploads = sqliteTable(
  'uploads',
  {
    id: text('id').primaryKey(),
    /** The database for the import, or the service that is built from the folder. */
    serviceId: text('service_id').notNull(),
    /** The bucket's id of the multipart upload. */
    blobId: text('blob_id').notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    /** `sha256:<hex>` from the client; `null` if it sent none, which is allowed only for dump files. */
    checksum: text('checksum'),
    /** The import that uses it; `null` before that. */
    importId: text('import_id'),
    /** Time of a folder's last deployment, which keeps it stored; `null` if there was none, or for a dump file. */
    usedAt: moment('used_at'),
    createdAt: moment('created_at').notNull(),
    /** An unused upload is refused after this time; 0 if it was deleted. */
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    index('uploads_service').on(table.serviceId),
    index('uploads_import').on(table.importId),
    index('uploads_expiry').on(table.expiresAt),
  ],
);

/** Completely received parts. */
export const uploadParts = sqliteTable(
  'upload_parts',
  {
    uploadId: text('upload_id')
      .notNull()
      .references(() => uploads.id, { onDelete: 'cascade' }),
    part: integer('part').notNull(),
    /** The bucket's ETag of the last upload of this part. */
    tag: text('tag').notNull(),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.part] })],
);
