/**
 * Uploads a backup's file to the control plane's bucket in parts and reads the object back: the copy counts only if size and checksum
 * are those of the file. On any failure the upload is removed. If the control plane can't be reached for that, the upload expires on
 * its own within days (docs/operate/backups.md).
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  type CopyCompletion,
  copyPartBytes,
  copyPartsMax,
  sentPartSchema,
  startedCopySchema,
} from '../../protocol/backup-copy.ts';
import { runnerPaths } from '../../protocol/enrolment.ts';
import type { WrittenFile } from './backup-files.ts';
import { askForCopy, type CopyAccess, CopyRefused, readCopy } from './copy-requests.ts';

/** The job's end waits for this clean-up. */
const takeBackTimeoutMs = 30_000;
const okSchema = z.object({ ok: z.literal(true) });

/**
 * @param progress bytes that are in the bucket
 * @throws Error with a sentence; the signal's reason. Then the bucket contains no part of the file.
 */
export async function uploadBackup(
  access: CopyAccess,
  file: WrittenFile,
  progress: (done: number) => void,
): Promise<void> {
  if (file.sizeBytes > copyPartBytes * copyPartsMax) {
    throw new CopyRefused(
      `The backup has ${file.sizeBytes} bytes, and the limit for a copy is ${copyPartBytes * copyPartsMax}.`,
    );
  }
  const { upload } = await askForCopy(access, { method: 'POST', path: runnerPaths.copy }, startedCopySchema);
  try {
    const etags = await sendParts(access, upload, file, progress);
    await complete(access, { job: access.jobId, upload, etags });
    await verifyCopy(access, file);
  } catch (error) {
    await takeBack(access, upload);
    throw error;
  }
}

async function sendParts(
  access: CopyAccess,
  upload: string,
  { path, sizeBytes }: WrittenFile,
  progress: (done: number) => void,
): Promise<string[]> {
  const etags: string[] = [];
  for (let start = 0; start < sizeBytes; start += copyPartBytes) {
    const length = Math.min(copyPartBytes, sizeBytes - start);
    const part = {
      method: 'PUT',
      path: runnerPaths.copyPart,
      query: { upload, part: String(etags.length + 1) },
      file: { path, start, length },
    };
    etags.push((await askForCopy(access, part, sentPartSchema)).etag);
    progress(start + length);
  }
  return etags;
}

async function complete(access: CopyAccess, completion: CopyCompletion): Promise<void> {
  const request = {
    method: 'POST',
    path: runnerPaths.copyCompletion,
    query: null,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(completion),
  };
  await askForCopy(access, request, okSchema);
}

async function verifyCopy(access: CopyAccess, { sizeBytes, checksum }: WrittenFile): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of readCopy(access, sizeBytes)) hash.update(chunk);
  if (`sha256:${hash.digest('hex')}` === checksum) return;
  throw new CopyRefused('The bytes read back from the bucket are not the bytes that were sent.');
}

/** Removes the upload. Never throws, so that the original error is reported. */
async function takeBack(access: CopyAccess, upload: string): Promise<void> {
  const signal = AbortSignal.timeout(takeBackTimeoutMs);
  const request = { method: 'DELETE', path: runnerPaths.copy, query: { upload } };
  await askForCopy({ ...access, signal }, request, okSchema).catch(() => {});
}
