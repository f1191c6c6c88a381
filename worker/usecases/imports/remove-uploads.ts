/** Uploads that are of no use any more: first what lies in the bucket goes, then the row, so that nothing is forgotten there. */
import { minuteOf } from '../../domain/minute-counts.ts';
import { uploadKeptMs, uploadKeyOf } from '../../domain/upload.ts';
import {
  deleteUploads,
  listUploadsOfJob,
  listUselessUploads,
  takeUploadBack,
  type UploadRow,
} from '../../store/upload-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'blobs'>;

const hourMinutes = 60;
/** Not the minute in which copies are swept: the free plan allows 50 subrequests a run, and an upload takes one of them. */
const sweepMinute = 30;
const uploadsPerRun = 20;
/** A request that was let in just before the end has its time. */
const expiredForMs = 3_600_000;
/** Begun in the bucket by a request that died before it could write its row. */
const forgottenAfterMs = 2 * uploadKeptMs;

/** Takes an upload back: it can't be used from now on. @returns false when an import has it: that is to be aborted then */
export async function discardUpload(deps: Needs, upload: UploadRow): Promise<boolean> {
  if (!(await takeUploadBack(deps.db, upload.id))) return false;
  await removeOrLeave(deps, [upload]);
  return true;
}

/** After the end of an import of a file. Never throws. */
export async function removeUploadOfJob(deps: Needs, job: { id: string; kind: string }): Promise<void> {
  if (job.kind !== 'import') return;
  try {
    await removeUploads(deps, await listUploadsOfJob(deps.db, job.id));
  } catch (error) {
    noteLeft(error);
  }
}

/** The hour's sweep of what nobody used, and of what could not be removed before; does nothing in other minutes. */
export async function sweepUploadsHourly(deps: Needs & Pick<Dependencies, 'now'>): Promise<void> {
  if (minuteOf(deps.now()) % hourMinutes === sweepMinute) await sweepUploads(deps);
}

export async function sweepUploads(deps: Needs & Pick<Dependencies, 'now'>): Promise<void> {
  await removeUploads(deps, await listUselessUploads(deps.db, deps.now() - expiredForMs, uploadsPerRun));
  await deps.blobs.abortForgotten('uploads/svc_', deps.now() - forgottenAfterMs);
}

async function removeOrLeave(deps: Needs, rows: UploadRow[]): Promise<void> {
  await removeUploads(deps, rows).catch(noteLeft);
}

/** Whether an object was made of its parts or not, nothing of it is left. */
async function removeUploads({ db, blobs }: Needs, rows: UploadRow[]): Promise<void> {
  if (rows.length === 0) return;
  await Promise.all(rows.map((row) => blobs.abort({ key: uploadKeyOf(row), id: row.blobId })));
  await blobs.remove(rows.map(uploadKeyOf));
  await deleteUploads(
    db,
    rows.map(({ id }) => id),
  );
}

const noteLeft = (error: unknown) =>
  console.warn(`An upload stays in the bucket until the hour's sweep: ${String(error)}`);
