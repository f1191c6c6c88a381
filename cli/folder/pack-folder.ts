/** Packs a folder into a gzipped tar. The same files give the same bytes, so an unchanged folder is not sent again. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { usageFailure } from '../base/failure.ts';
import type { FolderEntry } from './list-folder.ts';

export interface PackedFolder {
  sizeBytes: number;
  /** `sha256:<hex>` */
  checksum: string;
}

/**
 * @param path of the archive to write
 * @param progress is called with the bytes of the packed files
 * @throws Failure (usage) if a file changes during packing or can't be read
 */
export async function packFolder(
  folder: string,
  entries: readonly FolderEntry[],
  path: string,
  progress: (done: number) => void,
): Promise<PackedFolder> {
  const tar = pack();
  const digest = createHash('sha256');
  let sizeBytes = 0;
  const tap = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      sizeBytes += chunk.length;
      done(null, chunk);
    },
  });
  const written = pipeline(tar, createGzip(), tap, createWriteStream(path, { mode: 0o600 }));
  written.catch(() => {});
  let done = 0;
  for (const entry of entries) {
    await addEntry(tar, folder, entry).catch((error: NodeJS.ErrnoException) => {
      tar.destroy();
      const why = error.code === 'EACCES' ? 'it cannot be read' : 'it changed while it was read';
      throw usageFailure(`${entry.path} could not be packed: ${why} (${error.message}). Repeat the command.`);
    });
    done += entry.size;
    progress(done);
  }
  tar.finalize();
  await written;
  return { sizeBytes, checksum: `sha256:${digest.digest('hex')}` };
}

/** A header without owner, machine or time, so that the same files give the same bytes. */
async function addEntry(
  tar: Pack,
  folder: string,
  { path, size, isExecutable, target }: FolderEntry,
): Promise<void> {
  const same = { name: path, uid: 0, gid: 0, mtime: new Date(0) };
  if (target !== undefined)
    return void tar.entry({ ...same, type: 'symlink', linkname: target, mode: 0o777 });
  const header = { ...same, size, mode: isExecutable ? 0o755 : 0o644 };
  if (size === 0) return void tar.entry(header, '');
  // Read only as much as the header says: a log file that grows during packing must not damage the archive.
  await pipeline(createReadStream(join(folder, path), { end: size - 1 }), tar.entry(header));
}
