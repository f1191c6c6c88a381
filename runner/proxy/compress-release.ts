/**
 * Compresses the files of a release of a static site once, before it is published: `x.js.br` and `x.js.gz` beside `x.js`. The proxy then sends
 * them without any work for each request.
 */
import { lstat, opendir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { bytesMin, compressibleEndings } from './compressible.ts';

const compressible = new RegExp(`\\.(${compressibleEndings.join('|')})$`, 'i');

/** Memory for one file, and the time for it: larger ones are data, not pages. */
const bytesMax = 16 * 2 ** 20;
/** A file is only kept if it saves at least this part. */
const savedMin = 0.05;
/** Nearly as small as the highest quality, in a fifth of its time. */
const brotliQuality = 9;

const withBrotli = promisify(brotliCompress);
const withGzip = promisify(gzip);

const encodings: { ending: string; compress: (bytes: Buffer) => Promise<Buffer> }[] = [
  {
    ending: '.br',
    compress: (bytes) =>
      withBrotli(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      }),
  },
  { ending: '.gz', compress: (bytes) => withGzip(bytes, { level: 9 }) },
];

/**
 * Files that the build has compressed itself stay as they are.
 * @param limitMs files that are not reached in this time are sent as they are
 * @returns the number of files that have a smaller form, their bytes, and the bytes of that form for most browsers
 */
export async function compressRelease(
  directory: string,
  signal: AbortSignal,
  limitMs = 60_000,
): Promise<{ files: number; bytes: number; compressedBytes: number }> {
  const endsAt = performance.now() + limitMs;
  const paths: string[] = [];
  for await (const entry of await opendir(directory, { recursive: true }))
    if (entry.isFile() && compressible.test(entry.name)) paths.push(join(entry.parentPath, entry.name));
  const sums = { files: 0, bytes: 0, compressedBytes: 0 };
  const queue = paths.values();
  const work = async () => {
    for (const path of queue) {
      signal.throwIfAborted();
      if (performance.now() > endsAt) return;
      const saved = await compressFile(path);
      if (!saved) continue;
      sums.files += 1;
      sums.bytes += saved.bytes;
      sums.compressedBytes += saved.compressedBytes;
    }
  };
  // One processor stays free for the apps of the host.
  await Promise.all(Array.from({ length: Math.max(1, availableParallelism() - 1) }, work));
  return sums;
}

async function compressFile(path: string): Promise<{ bytes: number; compressedBytes: number } | undefined> {
  const { size } = await stat(path);
  if (size < bytesMin || size > bytesMax) return undefined;
  const bytes = await readFile(path);
  let compressedBytes = 0;
  for (const { ending, compress } of encodings) {
    const target = path + ending;
    // Also a link: writing through it could reach another file.
    const present = await lstat(target).catch(() => undefined);
    const compressed = present?.size ?? (await writeSmaller(bytes, target, compress));
    if (compressed !== undefined && compressedBytes === 0) compressedBytes = compressed;
  }
  return compressedBytes === 0 ? undefined : { bytes: size, compressedBytes };
}

/** @returns the size; `undefined` if it would save nothing, or the disk is full: then the file is sent as it is */
async function writeSmaller(
  bytes: Buffer,
  target: string,
  compress: (bytes: Buffer) => Promise<Buffer>,
): Promise<number | undefined> {
  const compressed = await compress(bytes);
  if (compressed.length > bytes.length * (1 - savedMin)) return undefined;
  try {
    await writeFile(target, compressed, { flag: 'wx', mode: 0o644 });
    return compressed.length;
  } catch {
    await rm(target, { force: true });
    return undefined;
  }
}
