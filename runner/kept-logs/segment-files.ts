/**
 * The files of one service's log: `<id of its first line>.log`, oldest first. The newest is written; those that are complete are compressed
 * to `.log.zst`, except the one before the newest, from which the last second is read again (service-log).
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
  /** Its lines have this id or a higher one. */
  firstId: number;
  isCompressed: boolean;
  /** On disk. */
  bytes: number;
  /** Epoch milliseconds of the last write: no line is newer. */
  writtenAt: number;
}

/** A segment is compressed and removed as a whole, and read as a whole by a search. */
export const segmentBytesMax = 4 * 2 ** 20;
/** Larger than a segment ever is: a damaged file can't take the memory. */
const readBytesMax = 4 * segmentBytesMax;
const plain = '.log';
const compressed = '.log.zst';
const temporary = '.tmp';
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export const segmentPath = (directory: string, firstId: number) =>
  join(directory, `${String(firstId).padStart(idDigits, '0')}${plain}`);

/** The segments of a service, oldest first. Removes what an interrupted compression has left. */
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

/** Its lines. @returns an empty buffer if it was removed meanwhile, or can't be read */
export async function readSegment({ path, isCompressed }: Segment): Promise<Buffer> {
  try {
    const bytes = await readFile(path);
    return isCompressed ? await decompress(bytes, { maxOutputLength: readBytesMax }) : bytes;
  } catch {
    return Buffer.alloc(0);
  }
}

/** Replaces a complete segment by a compressed one. A kill at any moment leaves one of both, or both. */
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
