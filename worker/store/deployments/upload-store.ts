/** Dump files for imports into databases, and their received parts. */
import { and, asc, eq, inArray, lte, ne, or, sql } from 'drizzle-orm';
import { isAwaited } from '../projects/folder-store.ts';
import { usedBackupBytes } from '../projects/tenant-store.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { imports } from '../schema/backups.ts';
import { projects } from '../schema/projects.ts';
import { services } from '../schema/services.ts';
import { uploadParts, uploads } from '../schema/uploads.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { inScope } from '../sql/scoped-store.ts';

export type UploadRow = typeof uploads.$inferSelect;

/** Subquery: bytes of all uploads of the tenant in `tenants`, including parts that are still missing, and folders of deleted services. */
const uploadedBytes = sql.raw(`(select coalesce(sum(uploads.size_bytes), 0) from uploads
    where service_id in (select services.id from services join projects on projects.id = services.project_id
        where projects.tenant_id = tenants.id)
      or service_id in (select row ->> 'id' from deletions join deleted_rows on deleted_rows.resource_id = deletions.resource_id
        and deleted_rows.source = 'services' where deletions.tenant_id = tenants.id))`);

/** @returns false if the service has `openMax` open uploads, or backups and uploads would exceed the tenant's quota; nothing was written then */
export async function insertUpload(db: Database, made: UploadRow, openMax: number): Promise<boolean> {
  const { id, serviceId, blobId, sizeBytes, checksum, createdAt, expiresAt } = made;
  const rows =
    await db.all(sql`insert into uploads (id, service_id, blob_id, size_bytes, checksum, created_at, expires_at)
    select ${id}, services.id, ${blobId}, ${sizeBytes}, ${checksum}, ${createdAt}, ${expiresAt}
    from services join projects on projects.id = services.project_id join tenants on tenants.id = projects.tenant_id
    where services.id = ${serviceId}
      and (select count(*) from uploads open where open.service_id = services.id and open.import_id is null
        and open.used_at is null and open.expires_at > ${createdAt}) < ${openMax}
      and (tenants.quotas ->> 'backupBytes' is null
        or ${usedBackupBytes} + ${uploadedBytes} + ${sizeBytes} <= tenants.quotas ->> 'backupBytes')
    returning id`);
  return rows.length > 0;
}

/** The open uploads of a service, oldest first, without folders that were deployed. */
export const selectOpenUploads = (db: Database, serviceId: string, now: number) =>
  db
    .select()
    .from(uploads)
    .where(
      sql`${uploads.serviceId} = ${serviceId} and ${uploads.importId} is null and ${uploads.usedAt} is null
        and ${uploads.expiresAt} > ${now}`,
    )
    .orderBy(asc(uploads.createdAt));

export async function findUpload(db: Database, id: string): Promise<UploadRow | undefined> {
  const [row] = await db.select().from(uploads).where(eq(uploads.id, id));
  return row;
}

/** An upload for this service; uploads for other services are not found. */
export function selectScopedUpload(db: Database, tokenId: string, serviceId: string, uploadId: string) {
  return (
    db
      .select({
        upload: columnsAs(uploads, 'upload'),
        service: columnsAs(services, 'service'),
        project: columnsAs(projects, 'project'),
      })
      .from(uploads)
      .innerJoin(services, eq(services.id, uploads.serviceId))
      .innerJoin(projects, eq(projects.id, services.projectId))
      .innerJoin(apiKeys, inScope(db, tokenId))
      // A closed upload may still be waiting for its removal from the bucket.
      .where(and(eq(uploads.id, uploadId), eq(services.id, serviceId), ne(uploads.expiresAt, 0)))
      .limit(1)
  );
}

/** The received parts, in order. */
export const selectUploadParts = (db: Database, uploadId: string) =>
  db
    .select({ part: uploadParts.part, tag: uploadParts.tag })
    .from(uploadParts)
    .where(eq(uploadParts.uploadId, uploadId))
    .orderBy(asc(uploadParts.part));

/** Records a received part, replacing an earlier one; no effect if the upload no longer exists. */
export async function recordUploadPart(
  db: Database,
  { uploadId, part, tag }: typeof uploadParts.$inferSelect,
): Promise<void> {
  await db.run(sql`insert into upload_parts (upload_id, part, tag) select id, ${part}, ${tag} from uploads where id = ${uploadId}
    on conflict (upload_id, part) do update set tag = excluded.tag`);
}

/** Closes an upload, so that it can't be used any more. @returns false if an import or an unfinished deployment uses it */
export async function closeUpload(db: Database, id: string): Promise<boolean> {
  const taken = await db
    .update(uploads)
    .set({ expiresAt: 0 })
    .where(and(eq(uploads.id, id), sql`${uploads.importId} is null and not ${isAwaited}`))
    .returning({ id: uploads.id });
  return taken.length > 0;
}

/** The upload of this job's import. */
export const listUploadsOfJob = (db: Database, jobId: string): Promise<UploadRow[]> =>
  db
    .select()
    .from(uploads)
    .where(
      inArray(uploads.importId, db.select({ id: imports.id }).from(imports).where(eq(imports.jobId, jobId))),
    );

/** Uploads that expired unused, uploads whose import has ended or no longer exists, and folders of services that can't be restored any more. */
export const listUselessUploads = (db: Database, expiredUntil: number, limit: number): Promise<UploadRow[]> =>
  db
    .select()
    .from(uploads)
    .where(
      or(
        and(sql`${uploads.importId} is null`, lte(uploads.expiresAt, expiredUntil)),
        sql`${uploads.importId} is not null and not exists (select 1 from imports
          where imports.id = ${uploads.importId} and imports.status = 'running')`,
        sql`${uploads.usedAt} is not null and not exists (select 1 from services where services.id = ${uploads.serviceId})
          and not exists (select 1 from deleted_rows where source = 'services' and row ->> 'id' = ${uploads.serviceId})`,
      ),
    )
    .limit(limit);

/** Also deletes the records of their parts. */
export async function deleteUploads(db: Database, ids: string[]): Promise<void> {
  await db.delete(uploads).where(inArray(uploads.id, ids));
}
