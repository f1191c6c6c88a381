/** The file that a restore reads: the one on this host, or else the copy in the bucket, which is downloaded for the restore. */
import { rm } from 'node:fs/promises';
import type { DeploySecrets } from '../../../protocol/job-spec.ts';
import type { StoredBackup } from '../../../protocol/stored-backup.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { WorkPlace } from '../../engines/archive/archive.ts';
import { backupPath, DamagedFile, removeBackupFile, verifyFile } from '../../storage/backup-files.ts';
import { CopyRefused, copyAccess } from '../../storage/copy-requests.ts';
import type { ChunkCipher } from '../../storage/encryption/age-format.ts';
import { cipherOf } from '../../storage/encryption/plain-pieces.ts';
import { fetchCopy } from '../../storage/fetch-copy.ts';
import type { DataAttempt, DataJobParts } from './data-attempt.ts';

export interface VerifiedFile {
  path: string;
  /** Decrypts the file; `null` if it is not encrypted. */
  cipher: ChunkCipher | null;
  /** Removes a downloaded file. The host's own backup stays. */
  release(): Promise<void>;
}

type Reader = Pick<DataAttempt, 'parts' | 'context'> & { place: WorkPlace };

/** The secrets that open a backup: the token of the attempt for the bucket's copy, and the identity if the file is encrypted. */
type Openers = Pick<DeploySecrets, 'transferToken' | 'backupIdentity'>;

/**
 * The path is always built from the backup's id, never taken from a request.
 * @throws JobFailure `backup_damaged`, also if its key does not fit; `restore_failed` when the bucket does not answer; `disk_full`; the
 * signal's reason
 */
export async function verifiedFile(
  attempt: Reader,
  backup: StoredBackup,
  { transferToken, backupIdentity }: Openers,
): Promise<VerifiedFile> {
  const stored = await storedFile(attempt, backup, transferToken);
  if (backup.encryptedWith === undefined) return { ...stored, cipher: null };
  try {
    if (backupIdentity === undefined) throw new Error('The control plane did not send it.');
    return { ...stored, cipher: await cipherOf(stored.path, backupIdentity) };
  } catch (error) {
    await stored.release();
    throw new JobFailure(
      'backup_damaged',
      `The backup needs the key ${backup.encryptedWith}, which did not open it: ${sentenceOf(error)} Nothing was changed.`,
      { cause: error },
    );
  }
}

/**
 * The same for a drill: a copy that the bucket does not return was not tested, so nothing is known about the backup.
 * @throws the errors of `verifiedFile`, but `drill_skipped` when the bucket does not answer
 */
export async function fileToTest(...of: Parameters<typeof verifiedFile>): Promise<VerifiedFile> {
  try {
    return await verifiedFile(...of);
  } catch (error) {
    if (!(error instanceof JobFailure) || error.code !== 'restore_failed') throw error;
    throw new JobFailure('drill_skipped', error.message, { cause: error });
  }
}

async function storedFile(
  attempt: Reader,
  backup: StoredBackup,
  token: string | undefined,
): Promise<Omit<VerifiedFile, 'cipher'>> {
  const { parts, place } = attempt;
  const path = backupPath(parts.dataDirectory, backup.serviceId, backup.id);
  try {
    await verifyFile(path, backup, place.signal);
    return { path, release: async () => {} };
  } catch (error) {
    place.signal.throwIfAborted();
    if (backup.remoteKey !== null && token !== undefined) return await fetched(attempt, backup, token);
    throw new JobFailure('backup_damaged', `${sentenceOf(error)} Nothing was changed.`, { cause: error });
  }
}

/** Removes the file that a crashed runner had downloaded. */
export const removeFetched = (parts: Pick<DataJobParts, 'dataDirectory'>, backup: StoredBackup) =>
  removeBackupFile(fetchedPath(parts, backup));

async function fetched(
  attempt: Reader,
  backup: StoredBackup,
  token: string,
): Promise<Omit<VerifiedFile, 'cipher'>> {
  const { parts, place, context } = attempt;
  const path = fetchedPath(parts, backup);
  await refuseFullDisk(parts, backup);
  const { controlPlaneUrl } = parts;
  const access = copyAccess({ controlPlaneUrl, jobId: context.jobId, token, signal: place.signal });
  const progress = (done: number) => place.progress({ done, total: backup.sizeBytes, unit: 'bytes' });
  try {
    await fetchCopy(access, path, backup, progress);
  } catch (error) {
    place.signal.throwIfAborted();
    throw isNoSpace(error) ? becameFull(parts, error) : notFetched(error);
  }
  return { path, release: () => rm(path, { force: true }) };
}

/** A bucket without an answer does not prove that the backup is bad. */
const notFetched = (error: unknown) =>
  new JobFailure(
    error instanceof CopyRefused || error instanceof DamagedFile ? 'backup_damaged' : 'restore_failed',
    `The host has no complete file of this backup, and its copy in the bucket could not be downloaded: ${sentenceOf(error)} Nothing was changed.`,
    { cause: error },
  );

const becameFull = ({ dataDirectory }: DataJobParts, cause: unknown) =>
  new JobFailure(
    'disk_full',
    `The disk of the host became full at ${dataDirectory} while the copy of this backup was downloaded: free disk space on the host. Nothing was changed.`,
    { cause },
  );

/** The path is in the directory of the backups, with a name that no backup has. */
const fetchedPath = (
  { dataDirectory }: Pick<DataJobParts, 'dataDirectory'>,
  { id, serviceId }: StoredBackup,
) => `${backupPath(dataDirectory, serviceId, id)}.fetched`;

async function refuseFullDisk(parts: DataJobParts, { sizeBytes }: StoredBackup): Promise<void> {
  const space = await parts.readDiskSpace(parts.dataDirectory);
  if (!space || space.freeBytes >= sizeBytes) return;
  throw new JobFailure(
    'disk_full',
    `The copy of this backup has ${sizeBytes} bytes, but only ${space.freeBytes} are free at ${parts.dataDirectory}: free disk space on the host. Nothing was changed.`,
  );
}

const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** True if the file system or a quota had no room for the written bytes. */
export function isNoSpace(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
