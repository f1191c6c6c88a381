/** Folders that clients upload for services with `repoUrl` "upload", and the folder that a deployment builds. */
import { ApiError } from '../../domain/errors.ts';
import { uploadRepoUrl } from '../../domain/services/service-kind.ts';
import { assertOpenUpload, keptFolders, neverExpires, uploadKeyOf } from '../../domain/sources/upload.ts';
import { findUpload, type UploadRow } from '../../store/deployments/upload-store.ts';
import {
  findSameFolder,
  keepFolder,
  releaseOldFolders,
  selectFolders,
} from '../../store/projects/folder-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { startUpload } from '../imports/begin-upload.ts';
import { tagsOfAll } from '../imports/import-file.ts';

type Needs = Pick<Dependencies, 'db' | 'blobs' | 'newId' | 'now'>;

/** A folder may be sent before it becomes the source of the service. @throws ApiError `unsupported` */
export function assertTakesFolders({ kind, name }: Pick<ServiceRow, 'kind' | 'name'>): void {
  if (kind !== 'database') return;
  throw new ApiError('unsupported', `"${name}" is a database: a folder can only be uploaded for an app.`);
}

/** @throws ApiError `unsupported` */
function assertBuiltFromFolder({ kind, name }: Pick<ServiceRow, 'kind' | 'name'>): void {
  if (kind === 'upload') return;
  throw new ApiError(
    'unsupported',
    `The service "${name}" is not built from an uploaded folder. To change that, set "repoUrl" to "${uploadRepoUrl}".`,
  );
}

/**
 * Starts the upload of a packed folder, or returns the stored or interrupted one with the same bytes.
 * @throws ApiError `unsupported`; `quota_exceeded`; `conflict` if too many uploads are open or the bucket does not work
 */
export async function beginFolder(
  deps: Needs,
  service: ServiceRow,
  folder: { sizeBytes: number; checksum: string },
): Promise<UploadRow> {
  assertTakesFolders(service);
  const same = await findSameFolder(deps.db, { serviceId: service.id, ...folder }, deps.now());
  return same ?? (await startUpload(deps, service, folder));
}

/**
 * The folder that a new deployment builds: the given one, else the last deployed one. Its parts are joined, and it remains stored.
 * @returns its checksum; null for services of other kinds
 * @throws ApiError `unsupported` for an upload of a service of another kind; `not_found`; `conflict` if parts are missing, or nothing was uploaded
 */
export async function folderToDeploy(
  deps: Needs,
  service: ServiceRow,
  uploadId: string | undefined,
): Promise<string | null> {
  if (service.kind !== 'upload' && uploadId === undefined) return null;
  assertBuiltFromFolder(service);
  const upload = await (uploadId === undefined
    ? lastFolder(deps, service)
    : givenFolder(deps, service, uploadId));
  if (upload.usedAt === null) {
    const place = { key: uploadKeyOf(upload), id: upload.blobId };
    await deps.blobs.complete(place, upload.id, await tagsOfAll(deps, upload));
  }
  if (await keepFolder(deps.db, { id: upload.id, expiresAt: neverExpires }, deps.now())) {
    await releaseOldFolders(deps.db, service.id, keptFolders);
    return upload.checksum;
  }
  throw new ApiError('conflict', 'The upload was deleted in the meantime: upload the folder again.');
}

async function lastFolder({ db }: Needs, service: ServiceRow): Promise<UploadRow> {
  const [last] = await selectFolders(db, service.id);
  if (last) return last;
  throw new ApiError(
    'conflict',
    `No folder was uploaded for the service "${service.name}": run longshore up in the folder, or send it with POST /api/services/${service.id}/uploads.`,
  );
}

async function givenFolder({ db, now }: Needs, service: ServiceRow, uploadId: string): Promise<UploadRow> {
  const upload = await findUpload(db, uploadId);
  if (upload?.serviceId !== service.id)
    throw new ApiError('not_found', 'uploadId: this upload does not exist for this service.');
  assertOpenUpload(upload, now());
  return upload;
}
