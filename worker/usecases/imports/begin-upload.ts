import { ApiError } from '../../domain/errors.ts';
import { openUploadsMax, uploadKeptMs, uploadKeyOf } from '../../domain/sources/upload.ts';
import { backupBytesUsedUp } from '../../domain/tenants/quotas.ts';
import { insertUpload, selectOpenUploads, type UploadRow } from '../../store/deployments/upload-store.ts';
import { findTenantOfProject } from '../../store/projects/tenant-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { assertBucket } from '../backups/assert-bucket.ts';
import { engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'blobs' | 'newId' | 'now'>;

const bucketRefusal = (trouble: string) =>
  `Uploads need the control plane's bucket, which is not working (${trouble}): ask the operator to check it.`;

/**
 * Starts the upload of a dump file to the control plane's bucket.
 * @throws ApiError `unsupported` for a service that is not a database; `quota_exceeded`; `conflict` if too many uploads are open or the
 *   bucket does not work
 */
export async function beginUpload(
  deps: Needs,
  service: ServiceRow,
  { sizeBytes, checksum }: Pick<UploadRow, 'sizeBytes' | 'checksum'>,
): Promise<UploadRow> {
  engineOfDatabase(service);
  return startUpload(deps, service, { sizeBytes, checksum });
}

/** Starts an upload for a service of any kind. @throws ApiError as `beginUpload`, without `unsupported` */
export async function startUpload(
  deps: Needs,
  service: ServiceRow,
  { sizeBytes, checksum }: Pick<UploadRow, 'sizeBytes' | 'checksum'>,
): Promise<UploadRow> {
  const { db, blobs, newId, now } = deps;
  await assertBucket(deps, bucketRefusal);
  const id = newId('upload');
  const at = now();
  const key = uploadKeyOf({ id, serviceId: service.id });
  const blobId = await blobs.begin(key, id);
  const upload: UploadRow = {
    ...{ id, serviceId: service.id, blobId, sizeBytes, checksum, importId: null, usedAt: null },
    ...{ createdAt: at, expiresAt: at + uploadKeptMs },
  };
  const isNoted = await insertUpload(db, upload, openUploadsMax).catch(async (error: unknown) => {
    await blobs.abort({ key, id: blobId }).catch(() => {});
    throw error;
  });
  if (isNoted) return upload;
  await blobs.abort({ key, id: blobId }).catch(() => {});
  throw await whyNotBegun(deps, service, sizeBytes);
}

async function whyNotBegun(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  service: ServiceRow,
  sizeBytes: number,
): Promise<ApiError> {
  const open = await selectOpenUploads(db, service.id, now());
  if (open.length >= openUploadsMax)
    return new ApiError(
      'conflict',
      `This service already has ${open.length} open uploads (${open.map(({ id }) => id).join(', ')}): use or delete one first.`,
    );
  const tenant = await findTenantOfProject(db, service.projectId);
  const ceiling = tenant?.tenant.quotas.backupBytes;
  if (tenant && ceiling !== undefined)
    return backupBytesUsedUp({ used: tenant.usage.backupBytes, ceiling, asked: sizeBytes });
  return new ApiError('conflict', 'The service was deleted while the upload started.');
}
