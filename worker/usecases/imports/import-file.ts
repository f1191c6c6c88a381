import { ApiError } from '../../domain/errors.ts';
import {
  assertOpenUpload,
  missingParts,
  uploadKeyOf,
  uploadLabelOf,
  uploadPartBytes,
  uploadPartsOf,
} from '../../domain/upload.ts';
import { wouldQueue } from '../../store/backup-store.ts';
import type { ImportRow } from '../../store/import-store.ts';
import type { ServiceRow } from '../../store/service-store.ts';
import { findUpload, selectUploadParts, type UploadRow } from '../../store/upload-store.ts';
import { dataIsBusy } from '../backups/start-backup.ts';
import { assertDeployed, engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { beginUpload } from './begin-upload.ts';
import { putUploadPart } from './put-upload-part.ts';
import { discardUpload } from './remove-uploads.ts';
import { assertEmpty, queueImport } from './start-import.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now'>;

/** So many missing parts are named. */
const namedPartsMax = 10;

/**
 * Makes one object of the parts, and queues its import on the host where the database is. What is refused leaves the upload as it was.
 * @throws ApiError `unsupported` for what is no database; `not_found` for what is no upload of this service; `conflict` when parts are
 *   missing, an import has it, the database is not deployed or holds something that may not go, or another job works on its data
 */
export async function importFile(
  deps: Needs,
  service: ServiceRow,
  { uploadId, replace }: { uploadId: string; replace: boolean },
): Promise<ImportRow> {
  engineOfDatabase(service);
  const upload = await findUpload(deps.db, uploadId);
  if (upload?.serviceId !== service.id)
    throw new ApiError('not_found', 'uploadId: this database has no such upload.');
  assertDeployed(service);
  assertOpenUpload(upload, deps.now());
  const tags = await tagsOfAll(deps, upload);
  if (!replace) await assertEmpty(deps, service);
  return importParts(deps, service, { upload, tags, replace });
}

/**
 * The same for a file of one part, which comes with the request.
 * @throws ApiError `payload_too_large`; `invalid_request` without a length; as `importFile`; nothing is left then
 */
export async function importBody(
  deps: Needs,
  service: ServiceRow,
  { request, checksum, replace }: { request: Request; checksum: string | null; replace: boolean },
): Promise<ImportRow> {
  engineOfDatabase(service);
  const sizeBytes = lengthOf(request);
  assertDeployed(service);
  if (!replace) await assertEmpty(deps, service);
  const upload = await beginUpload(deps, service, { sizeBytes, checksum });
  try {
    await putUploadPart(deps, upload, 1, request);
    return await importParts(deps, service, { upload, tags: await tagsOfAll(deps, upload), replace });
  } catch (error) {
    await discardUpload(deps, upload).catch(() => {});
    throw error;
  }
}

async function importParts(
  deps: Needs,
  service: ServiceRow,
  { upload, tags, replace }: { upload: UploadRow; tags: string[]; replace: boolean },
): Promise<ImportRow> {
  if (!(await wouldQueue(deps.db, { kind: 'import', serviceId: service.id }))) throw dataIsBusy();
  await deps.blobs.complete({ key: uploadKeyOf(upload), id: upload.blobId }, upload.id, tags);
  return queueImport(deps, service, {
    ...{ id: deps.newId('import'), engine: engineOfDatabase(service), source: 'file', sealedSource: null },
    ...{ sourceLabel: uploadLabelOf(upload), uploadId: upload.id, replace },
  });
}

function lengthOf({ headers, body }: Request): number {
  const length = headers.get('content-length') ?? '';
  if (!/^[1-9]\d{0,14}$/.test(length) || !body)
    throw new ApiError('invalid_request', 'A file needs bytes and the header Content-Length.');
  if (Number(length) <= uploadPartBytes) return Number(length);
  throw new ApiError(
    'payload_too_large',
    `A file of more than ${uploadPartBytes} bytes comes in parts: begin with POST .../database/uploads.`,
  );
}

/** Of all parts, from the first one on. */
async function tagsOfAll({ db }: Pick<Dependencies, 'db'>, upload: UploadRow): Promise<string[]> {
  const come = await selectUploadParts(db, upload.id);
  const missing = missingParts(
    upload,
    come.map(({ part }) => part),
  );
  if (missing.length === 0) return come.map(({ tag }) => tag);
  const named = missing.slice(0, namedPartsMax).join(', ');
  throw new ApiError(
    'conflict',
    `${missing.length} of ${uploadPartsOf(upload)} parts have not come: ${named}${missing.length > namedPartsMax ? ', ...' : ''}. Send them first.`,
  );
}
