import { Readable } from 'node:stream';
import type { ArchiveFile, DataPlace } from './archive.ts';

/** News worth telling, of one pass over a file. */
const steps = 50;

/** The file's bytes, and how far they are read. */
export function readWithProgress(file: ArchiveFile, { progress }: Pick<DataPlace, 'progress'>): Readable {
  return Readable.from(counted(file, progress), { objectMode: false });
}

async function* counted({ open, sizeBytes }: ArchiveFile, progress: DataPlace['progress']) {
  let done = 0;
  let toldAt = 0;
  for await (const chunk of open() as AsyncIterable<Buffer>) {
    yield chunk;
    done += chunk.length;
    if (done - toldAt < sizeBytes / steps) continue;
    toldAt = done;
    progress({ done, total: sizeBytes, unit: 'bytes' });
  }
}
