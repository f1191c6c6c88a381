/**
 * Writes one backup, from the engine to a verified file. The dump is written to a part file, and its checksum is computed on the way. Then
 * the engine's own tool reads it, and the file is flushed, renamed, and hashed again in its final place. A failure leaves no file.
 */
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { plainBytesOf } from '../../../protocol/backup-encryption.ts';
import { type ArchiveFacts, notKeptCharsMax, notKeptMax } from '../../../protocol/job-report.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type {
  ArchiveFile,
  DataPlace,
  DumpArchive,
  DumpedContents,
  WorkPlace,
} from '../../engines/archive/archive.ts';
import { settingsNotKept } from '../../engines/archive/changed-settings.ts';
import { ConnectionsFull, withUsage } from '../../engines/connections-full.ts';
import { EngineError } from '../../engines/engine-error.ts';
import {
  backupPath,
  PartFile,
  piecesOf,
  removeBackupFile,
  verifyFile,
  type WrittenFile,
} from '../../storage/backup-files.ts';
import type { ChunkCipher } from '../../storage/encryption/age-format.ts';
import { plainPiecesOf } from '../../storage/encryption/plain-pieces.ts';
import type { JobContext } from '../job.ts';
import type { DataAttempt, DataJobParts } from './data-attempt.ts';
import { isNoSpace } from './verified-file.ts';
import { waitForRoom } from './wait-for-room.ts';
import { watchingBackups } from './watch-disk.ts';

/** The space needed, relative to the last backup. The first backup needs at least the minimum below. */
const roomFactor = 1.5;
const roomBytesMin = 256 * 1024 * 1024;

/** The place of the data to back up, and the optional steps. */
export interface BackupWork<Place extends WorkPlace>
  extends Pick<DataAttempt, 'parts' | 'encryption' | 'enter' | 'facts'> {
  place: Place;
  engine: { data(): Promise<{ archive: DumpArchive<Place> }> };
  /** The parts that the archive can't contain, as sentences; read right after the dump. */
  notKept?: () => Promise<string[]>;
  /** Adds the users of the connections to the error of a full database. */
  explained?: (error: unknown) => Promise<unknown>;
  /** Does the work while a full database has more room; `undefined` if no room can be made. */
  withRoom?: <Result>(work: () => Promise<Result>) => Promise<Result | undefined>;
  lastBackupBytes: number;
}

/** The backup of a database, which lists the settings that were changed in the running server. */
export const ofDatabase = (attempt: DataAttempt): BackupWork<DataPlace> => ({
  ...attempt,
  notKept: () => settingsNotKept(attempt.engine, attempt.place),
  explained: (error) => withUsage(error, attempt.engine, attempt.place.address, attempt.place.env),
  withRoom: async (work) => attempt.parts.ways?.withRoom(attempt.place.address, work),
});

/** The backup's file, and the facts that the control plane stores. */
export interface WrittenBackup {
  file: WrittenFile;
  contents: DumpedContents;
  /** The key with which the file is encrypted; `null` if it is not. */
  encryptedWith: string | null;
  /** The dump, decrypted. */
  archive: ArchiveFile;
}

/**
 * @param path of the new file
 * @throws JobFailure `disk_full`, `dump_failed`; DockerError; the signal's reason
 */
export async function writeBackup<Place extends WorkPlace>(
  attempt: BackupWork<Place>,
  path: string,
): Promise<WrittenBackup> {
  const { engine, place, encryption } = attempt;
  const { archive } = await engine.data();
  await refuseFullDisk(attempt, path);
  const { part, dumped } = await waitForRoom(place, () => dumpWithRoom(attempt, path)).catch(
    (error: unknown) => {
      throw dumpFailure(error);
    },
  );
  try {
    const notKept = [...(dumped.notKept ?? []), ...((await attempt.notKept?.()) ?? [])];
    crashPoint('dump:written');
    attempt.enter('verify');
    await archive.check(place, fileAt(part.partPath, part.sizeBytes, part.cipher)).catch((error: unknown) => {
      throw dumpFailure(error);
    });
    const file = await part.keep();
    await verifyFile(file.path, file, place.signal);
    crashPoint('verify:kept');
    const encryptedWith = encryption?.keyId ?? null;
    return {
      file,
      contents: { ...dumped, notKept },
      encryptedWith,
      archive: fileAt(path, file.sizeBytes, part.cipher),
    };
  } catch (error) {
    part.destroy();
    await removeBackupFile(path);
    throw error;
  }
}

/** Makes room in a full database if that is possible. @throws the errors of `dumpTo` */
async function dumpWithRoom<Place extends WorkPlace>(attempt: BackupWork<Place>, path: string) {
  try {
    return await dumpTo(attempt, path);
  } catch (error) {
    if (!(error instanceof ConnectionsFull)) throw error;
    const dumped = await attempt.withRoom?.(() => dumpTo(attempt, path));
    if (!dumped) throw error;
    return dumped;
  }
}

/** @throws ConnectionsFull with the numbers; the errors of a dump. Then no file is left. */
async function dumpTo<Place extends WorkPlace>(
  { engine, parts, place, encryption, explained }: BackupWork<Place>,
  path: string,
): Promise<{ part: PartFile; dumped: DumpedContents }> {
  const { archive } = await engine.data();
  const part = await PartFile.create(path, encryption?.recipient);
  part.on('error', () => {}); // the writer reports the error
  try {
    const dumped = await watchingBackups(parts, dirname(path), place, (watched) =>
      archive.dump(watched, part).catch((error: unknown) => {
        throw reasonOf(part.errored, error);
      }),
    );
    return { part, dumped };
  } catch (error) {
    part.destroy();
    await removeBackupFile(path);
    throw explained ? await explained(error) : error;
  }
}

/** The first error: a full disk ends the dump, so its error is the reason. A failed dump closes the file too early, which is not. */
const reasonOf = (written: NodeJS.ErrnoException | null, error: unknown) =>
  written === null || written.code === 'ERR_STREAM_PREMATURE_CLOSE' ? error : written;

/** Removes the safety copy of a crashed runner's restore or import, unless it was reported: nothing else would remove it. */
export async function removeUnreportedCopy(
  { dataDirectory }: Pick<DataJobParts, 'dataDirectory'>,
  { serviceId, safetyBackupId }: { serviceId: string; safetyBackupId: string | null },
  { reportedFacts }: Pick<JobContext, 'reportedFacts'>,
): Promise<void> {
  if (safetyBackupId === null || reportedFacts().archive) return;
  await removeBackupFile(backupPath(dataDirectory, serviceId, safetyBackupId));
}

/**
 * Keeps the live data on the host as a separate backup, before it is replaced. The next phase reports it.
 * @throws the errors of `writeBackup`
 */
export async function writeSafetyCopy<Place extends WorkPlace>(
  attempt: BackupWork<Place>,
  { serviceId, safetyBackupId }: { serviceId: string; safetyBackupId: string },
): Promise<WrittenBackup> {
  const path = backupPath(attempt.parts.dataDirectory, serviceId, safetyBackupId);
  const taken = await writeBackup(attempt, path);
  attempt.facts.archive = archiveFacts(taken, { localPath: path, remoteKey: null });
  return taken;
}

/** The facts that the job reports about a backup. @param copies the places of the file: this host, the bucket, or both */
export const archiveFacts = (
  { file: { sizeBytes, checksum }, contents: { tables, rows, notKept = [] }, encryptedWith }: WrittenBackup,
  copies: { localPath: string | null; remoteKey: string | null },
): ArchiveFacts => ({
  ...{ sizeBytes, checksum, tables, rows },
  ...shortened(notKept),
  ...copies,
  ...(encryptedWith !== null && { encryptedWith }),
});

/** Shortens the report to the protocol's limits. */
function shortened(sentences: readonly string[]): Pick<ArchiveFacts, 'notKept'> {
  if (sentences.length === 0) return {};
  const first = sentences.length > notKeptMax ? sentences.slice(0, notKeptMax - 1) : sentences;
  const more = sentences.length - first.length;
  const notKept = [...first, ...(more > 0 ? [`And ${more} more.`] : [])];
  return {
    notKept: notKept.map((text) =>
      text.length > notKeptCharsMax ? `${text.slice(0, notKeptCharsMax - 1)}…` : text,
    ),
  };
}

/** A file on this host that tools can read more than once. @param cipher decrypts the file; absent if it is not encrypted */
export const fileAt = (path: string, storedBytes: number, cipher: ChunkCipher | null = null): ArchiveFile =>
  cipher === null
    ? { sizeBytes: storedBytes, open: () => createReadStream(path), pieces: () => piecesOf(path) }
    : {
        sizeBytes: plainBytesOf(storedBytes),
        open: () => Readable.from(plainPiecesOf(path, cipher, { keepsPieces: true }), { objectMode: false }),
        pieces: () => plainPiecesOf(path, cipher),
      };

async function refuseFullDisk(
  { parts, lastBackupBytes }: Pick<DataAttempt, 'parts' | 'lastBackupBytes'>,
  path: string,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const space = await parts.readDiskSpace(dirname(path));
  const needed = Math.max(roomBytesMin, lastBackupBytes * roomFactor);
  if (!space || space.freeBytes >= needed) return;
  throw new JobFailure(
    'disk_full',
    `A backup needs ${megabytes(needed)}, but only ${megabytes(space.freeBytes)} are free at ${dirname(path)}: delete old backups or free disk space on the host.`,
  );
}

function dumpFailure(error: unknown): unknown {
  if (error instanceof EngineError) return new JobFailure('dump_failed', error.message, { cause: error });
  if (isNoSpace(error))
    return new JobFailure(
      'disk_full',
      'The disk of the host became full during the backup, and the unfinished backup was discarded.',
    );
  return error;
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6).toLocaleString('en-GB')} MB`;
