/**
 * The files of one service's log: `<id of its first line>.log`, oldest first. The newest is written; complete ones are compressed to
 * `.log.zst`, except the one before the newest, whose last second is read again (service-log).
 */
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { idDigits } from './kept-line.ts';

export interface Segment {
  path: string;
  /** The lines of the segment have this id or a higher one. */
  firstId: number;
  isCompressed: boolean;
  /** The size on disk. */
  bytes: number;
  /** Epoch milliseconds of the last write: no line is newer. */
  writtenAt: number;
}

/** The size at which a segment is complete. It is compressed, removed, and read by a search as a whole. */
export const segmentBytesMax = 4 * 2 ** 20;
/** Larger than any segment: a damaged file can't fill the memory. */
const readBytesMax = 4 * segmentBytesMax;
const plain = '.log';
const compressed = '.log.zst';
const temporary = '.tmp';
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export const segmentPath = (directory: string, firstId: number) =>
  join(directory, `${String(firstId).padStart(idDigits, '0')}${plain}`);

/** The segments of a service, oldest first. Removes the remains of an interrupted compression. */
export function listSegments(directory: string): Segment[] {
  const names = namesIn(directory);
  const known = new Set(names);
  const segments: Segment[] = [];
  for (const name of names.sort()) {
    const path = join(directory, name);
    const isCompressed = name.endsWith(compressed);
    const isLeft = name.endsWith(temporary) || (name.endsWith(plain) && known.has(`${name}.zst`));
    if (isLeft) rmSync(path, { force: true });
    if (isLeft || !(isCompressed || name.endsWith(plain))) continue;
    const { size, mtimeMs } = statSync(path);
    segments.push({
      path,
      firstId: Number(name.slice(0, idDigits)),
      isCompressed,
      bytes: size,
      writtenAt: mtimeMs,
    });
  }
  return segments;
}

/** The lines of a segment. @returns an empty buffer if it was removed in the meantime, or can't be read */
export async function readSegment({ path, isCompressed }: Segment): Promise<Buffer> {
  try {
    const bytes = await readFile(path);
    return isCompressed ? await decompress(bytes, { maxOutputLength: readBytesMax }) : bytes;
  } catch {
    return Buffer.alloc(0);
  }
}

/** Replaces a complete segment with a compressed one. A kill at any moment leaves one of both, or both. */
export async function compressSegment(segment: Segment): Promise<Segment> {
  const bytes = await compress(await readFile(segment.path), {
    params: { [constants.ZSTD_c_compressionLevel]: 3 },
  });
  const path = `${segment.path}.zst`;
  const file = openSync(path + temporary, 'w', 0o600);
  try {
    writeSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(path + temporary, path);
  rmSync(segment.path, { force: true });
  return { ...segment, path, isCompressed: true, bytes: bytes.length };
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
