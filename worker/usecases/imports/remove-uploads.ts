/** Removes uploads that are no longer needed: first the objects in the bucket, then the row, so that no object remains without a row. */
import { uploadKeptMs, uploadKeyOf } from '../../domain/sources/upload.ts';
import {
  closeUpload,
  deleteUploads,
  listUploadsOfJob,
  listUselessUploads,
  type UploadRow,
} from '../../store/deployments/upload-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'blobs'>;

/** The free plan allows 50 external calls per run; an upload needs one if the bucket is not R2. */
const uploadsPerRun = 20;
/** Leaves time for a request that was accepted just before the upload expired. */
const expiredForMs = 3_600_000;
/** Age of an upload in the bucket without a row, from a request that died before writing it. */
const forgottenAfterMs = 2 * uploadKeptMs;

/** Deletes an upload, so that it can't be used any more. @returns false if an import or a deployment uses it; abort that instead */
export async function discardUpload(deps: Needs, upload: UploadRow): Promise<boolean> {
  if (!(await closeUpload(deps.db, upload.id))) return false;
  await removeOrLeave(deps, [upload]);
  return true;
}

/** Removes the upload after the end of its import. Never throws. */
export async function removeUploadOfJob(deps: Needs, job: { id: string; kind: string }): Promise<void> {
  if (job.kind !== 'import') return;
  try {
    await removeUploads(deps, await listUploadsOfJob(deps.db, job.id));
  } catch (error) {
    logLeftUpload(error);
  }
}

/** Removes unused uploads, and uploads whose removal failed before. */
export async function sweepUploads(deps: Needs & Pick<Dependencies, 'now'>): Promise<void> {
  await removeUploads(deps, await listUselessUploads(deps.db, deps.now() - expiredForMs, uploadsPerRun));
  await deps.blobs.abortStaleUploads('uploads/svc_', deps.now() - forgottenAfterMs);
}

async function removeOrLeave(deps: Needs, rows: UploadRow[]): Promise<void> {
  await removeUploads(deps, rows).catch(logLeftUpload);
}

/** Removes both the multipart uploads and the completed objects. */
async function removeUploads({ db, blobs }: Needs, rows: UploadRow[]): Promise<void> {
  if (rows.length === 0) return;
  await Promise.all(rows.map((row) => blobs.abort({ key: uploadKeyOf(row), id: row.blobId })));
  await blobs.remove(rows.map(uploadKeyOf));
  await deleteUploads(
    db,
    rows.map(({ id }) => id),
  );
}

const logLeftUpload = (error: unknown) =>
  console.warn(`An upload stays in the bucket until the next hourly sweep: ${String(error)}`);
