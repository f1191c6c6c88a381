import type { EngineName } from '../../../protocol/database.ts';
import { ApiError } from '../../domain/errors.ts';
import {
  assertOpenUpload,
  missingParts,
  uploadKeyOf,
  uploadLabelOf,
  uploadPartBytes,
  uploadPartsOf,
} from '../../domain/sources/upload.ts';
import { wouldQueue } from '../../store/backups/backup-store.ts';
import { findUpload, selectUploadParts, type UploadRow } from '../../store/deployments/upload-store.ts';
import type { ImportRow } from '../../store/imports/import-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { dataIsBusy } from '../backups/start-backup.ts';
import { assertDeployed, engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { beginUpload } from './begin-upload.ts';
import { putUploadPart } from './put-upload-part.ts';
import { discardUpload } from './remove-uploads.ts';
import { assertEmpty, queueImport } from './start-import.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now' | 'initiator'>;

/** A user's options for the import of a file. */
export interface FileImportOptions {
  /** Whether existing data may be replaced; it is backed up first. */
  replace: boolean;
  /** Whether to skip objects that can't be loaded, and list them in the import's `skipped`. Only PostgreSQL's tool can continue. */
  continueOnError: boolean;
}

const continuingEngines: readonly EngineName[] = ['postgres', 'timescale'];

/** Number of missing parts in an error message. */
const namedPartsMax = 10;

/**
 * Joins the parts into one object and queues its import on the host of the database. A refusal leaves the upload unchanged.
 * @throws ApiError `unsupported` for a service that is not a database; `not_found` for an upload of another service; `conflict` if parts
 *   are missing, an import uses the upload, the database is not deployed or not empty, or another job uses its data
 */
export async function importFile(
  deps: Needs,
  service: ServiceRow,
  { uploadId, ...options }: { uploadId: string } & FileImportOptions,
): Promise<ImportRow> {
  assertCanContinue(service, options);
  const upload = await findUpload(deps.db, uploadId);
  if (upload?.serviceId !== service.id)
    throw new ApiError('not_found', 'uploadId: this upload does not exist for this database.');
  assertDeployed(service);
  assertOpenUpload(upload, deps.now());
  const tags = await tagsOfAll(deps, upload);
  if (!options.replace) await assertEmpty(deps, service);
  return importParts(deps, service, { upload, tags, ...options });
}

/**
 * Imports a file of one part from the request itself.
 * @throws ApiError `payload_too_large`; `invalid_request` without a length; as `importFile`. After an error the upload is deleted
 */
export async function importBody(
  deps: Needs,
  service: ServiceRow,
  { request, checksum, ...options }: { request: Request; checksum: string | null } & FileImportOptions,
): Promise<ImportRow> {
  assertCanContinue(service, options);
  const sizeBytes = lengthOf(request);
  assertDeployed(service);
  if (!options.replace) await assertEmpty(deps, service);
  const upload = await beginUpload(deps, service, { sizeBytes, checksum });
  try {
    await putUploadPart(deps, upload, 1, request);
    return await importParts(deps, service, { upload, tags: await tagsOfAll(deps, upload), ...options });
  } catch (error) {
    await discardUpload(deps, upload).catch(() => {});
    throw error;
  }
}

async function importParts(
  deps: Needs,
  service: ServiceRow,
  { upload, tags, ...options }: { upload: UploadRow; tags: string[] } & FileImportOptions,
): Promise<ImportRow> {
  if (!(await wouldQueue(deps.db, { kind: 'import', serviceId: service.id }))) throw dataIsBusy();
  await deps.blobs.complete({ key: uploadKeyOf(upload), id: upload.blobId }, upload.id, tags);
  return queueImport(deps, service, {
    ...{ id: deps.newId('import'), engine: engineOfDatabase(service), source: 'file', sealedSource: null },
    ...{ sourceLabel: uploadLabelOf(upload), uploadId: upload.id, ...options },
  });
}

/** @throws ApiError `unsupported` for a service that is not a database, or whose engine's tool ends at the first error */
function assertCanContinue(service: ServiceRow, { continueOnError }: FileImportOptions): void {
  const engine = engineOfDatabase(service);
  if (!continueOnError || continuingEngines.includes(engine)) return;
  throw new ApiError(
    'unsupported',
    `"continueOnError" is only for ${continuingEngines.join(' and ')}, but this service runs ${engine}: import without it.`,
  );
}

function lengthOf({ headers, body }: Request): number {
  const length = headers.get('content-length') ?? '';
  if (!/^[1-9]\d{0,14}$/.test(length) || !body)
    throw new ApiError('invalid_request', 'A file needs a body and the header Content-Length.');
  if (Number(length) <= uploadPartBytes) return Number(length);
  throw new ApiError(
    'payload_too_large',
    `A file of more than ${uploadPartBytes} bytes must be uploaded in parts: start with POST .../database/uploads.`,
  );
}

/** ETags of all parts, in order. @throws ApiError `conflict` with the missing parts */
export async function tagsOfAll({ db }: Pick<Dependencies, 'db'>, upload: UploadRow): Promise<string[]> {
  const come = await selectUploadParts(db, upload.id);
  const missing = missingParts(
    upload,
    come.map(({ part }) => part),
  );
  if (missing.length === 0) return come.map(({ tag }) => tag);
  const named = missing.slice(0, namedPartsMax).join(', ');
  throw new ApiError(
    'conflict',
    `${missing.length} of ${uploadPartsOf(upload)} parts are missing: ${named}${missing.length > namedPartsMax ? ', ...' : ''}. Send them first.`,
  );
}
