/** Downloads a backup's copy from the control plane's bucket into a temporary, verified file on the host. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PartFile, verifyFile, type WrittenFile } from './backup-files.ts';
import { type CopyAccess, readCopy } from './copy-requests.ts';

/**
 * @param path of the new file
 * @param expected checksum: `null` if it is unknown
 * @throws Error with a sentence, also when the bytes differ from the written ones; the signal's reason. Then no file is left.
 */
export async function fetchCopy(
  access: CopyAccess,
  path: string,
  expected: { sizeBytes: number; checksum: string | null },
  progress: (done: number) => void,
): Promise<WrittenFile> {
  const part = await PartFile.create(path);
  try {
    await pipeline(Readable.from(counted(readCopy(access, expected.sizeBytes), progress)), part, {
      signal: access.signal,
    });
    const { sizeBytes, checksum } = expected;
    if (checksum !== null) await verifyFile(part.partPath, { sizeBytes, checksum }, access.signal);
    return await part.keep();
  } catch (error) {
    part.destroy();
    await PartFile.discard(path);
    access.signal.throwIfAborted();
    throw error;
  }
}

async function* counted(chunks: AsyncIterable<Uint8Array>, progress: (done: number) => void) {
  let done = 0;
  for await (const chunk of chunks) {
    done += chunk.length;
    progress(done);
    yield chunk;
  }
}
