/**
 * Keeps the results of recipes in the user's cache directory, so that another checkout or an emptied Docker need not download them again.
 * Files are named after the image and the recipe's hash; only one per image is kept.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';

/** Level 1: as fast as the disk, and a third of the size. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** `$XDG_CACHE_HOME/longshore/images`, as in the XDG base directory specification. */
export function cacheDirectory(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'longshore', 'images');
}

/**
 * The image's files as a tar stream: from the cache, or built now and stored there.
 * @param make returns the tar stream of a newly built image
 * @throws the errors of `make` and of the disk
 */
export async function cachedFiles(
  directory: string,
  key: { image: string; hash: string },
  make: () => Promise<Readable>,
): Promise<Readable> {
  const prefix = `${key.image.replaceAll(/[^a-z0-9.-]/g, '_')}-`;
  const file = join(directory, `${prefix}${key.hash}.tar.zst`);
  if (!(await isFile(file))) {
    await mkdir(directory, { recursive: true });
    await write(await make(), file);
    const older = (await readdir(directory)).filter((name) => name.startsWith(prefix));
    for (const name of older.filter((one) => join(directory, one) !== file && one.endsWith('.tar.zst')))
      await rm(join(directory, name), { force: true });
  }
  const plain = createZstdDecompress();
  // An error in one stream ends the other, so the reader of `plain` gets it.
  pipeline(createReadStream(file), plain).catch(() => {});
  return plain;
}

/** The file is complete or missing, even if this process is killed. Each process writes its own part file. */
async function write(files: Readable, to: string): Promise<void> {
  const part = `${to}.${process.pid}.part`;
  try {
    await pipeline(files, createZstdCompress(compression), createWriteStream(part));
    const handle = await open(part);
    await handle.sync();
    await handle.close();
    await rename(part, to);
  } finally {
    await rm(part, { force: true });
  }
}

const isFile = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
