import { Readable } from 'node:stream';
import type { ArchiveFile, DataPlace } from './archive.ts';

/** Progress reports in one pass over a file. */
const steps = 50;

/** The file's bytes; reports how much has been read. */
export function readWithProgress(file: ArchiveFile, { progress }: Pick<DataPlace, 'progress'>): Readable {
  return Readable.from(counted(file.open(), file, progress), { objectMode: false });
}

/** The same, for the standard input of a tool. @see ArchiveFile.pieces */
export function piecesWithProgress(
  file: ArchiveFile,
  { progress }: Pick<DataPlace, 'progress'>,
): AsyncIterable<Buffer> {
  return counted(file.pieces(), file, progress);
}

async function* counted(
  bytes: AsyncIterable<Buffer>,
  { sizeBytes }: Pick<ArchiveFile, 'sizeBytes'>,
  progress: DataPlace['progress'],
) {
  let done = 0;
  let reportedAt = 0;
  for await (const piece of bytes) {
    yield piece;
    done += piece.length;
    if (done - reportedAt < sizeBytes / steps) continue;
    reportedAt = done;
    progress({ done, total: sizeBytes, unit: 'bytes' });
  }
}
