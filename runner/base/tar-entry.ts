/** Adds files to tar streams: to a stream that may be destroyed at any time, and to one in memory. */
import { buffer } from 'node:stream/consumers';
import { type Header, type Pack, pack } from 'tar-stream';

/**
 * Adds a file to a tar stream. `pack.entry` alone would end the process when the stream is destroyed with an error while the entry waits for
 * its reader: the entry is a stream, too, and its error has no listener.
 * @returns when the entry is in the stream: it waits while the reader is slow
 * @throws the error with which the stream was destroyed
 */
export function addEntry(
  tar: Pack,
  header: Partial<Header> & { name: string },
  bytes: Buffer,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const entry = tar.entry({ ...header, size: bytes.length }, bytes, (error) => {
      if (error) reject(error);
      else resolve();
    });
    entry.on('error', reject);
  });
}

/** A whole archive of small files and directories. @throws Error for a header that tar can't hold */
export async function archiveOf(
  entries: Iterable<{ header: Partial<Header> & { name: string }; bytes?: Buffer }>,
): Promise<Buffer> {
  const tar = pack();
  const bytes = buffer(tar);
  bytes.catch(() => {}); // an entry that fails reports the same error
  for (const { header, bytes: content = Buffer.alloc(0) } of entries) await addEntry(tar, header, content);
  tar.finalize();
  return await bytes;
}
