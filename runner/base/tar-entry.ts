/** Adds files to a tar stream that may be destroyed at any time. */
import type { Pack } from 'tar-stream';

/**
 * Adds a file to a tar stream. `pack.entry` alone would end the process when the stream is destroyed with an error while the entry waits for
 * its reader: the entry is a stream too, and emits that error to nobody.
 * @returns when the entry is in the stream: it waits while the reader is slow
 * @throws the error with which the stream was destroyed
 */
export function addEntry(tar: Pack, header: { name: string; mode?: number }, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const entry = tar.entry({ ...header, size: bytes.length }, bytes, (error) => {
      if (error) reject(error);
      else resolve();
    });
    entry.on('error', reject);
  });
}
