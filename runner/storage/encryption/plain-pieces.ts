/** Reads encrypted files like unencrypted ones. */
import { type FileHandle, open } from 'node:fs/promises';
import {
  encryptedChunkBytes,
  encryptionHeaderBytes,
  encryptionTagBytes,
} from '../../../protocol/backup-encryption.ts';
import { type ChunkCipher, openFile, release } from './age-format.ts';

const sealedChunkBytes = encryptedChunkBytes + encryptionTagBytes;

/** @param identity `AGE-SECRET-KEY-1...` @throws KeyMismatch; the error of the file system */
export async function cipherOf(path: string, identity: string): Promise<ChunkCipher> {
  const handle = await open(path, 'r');
  try {
    const header = Buffer.alloc(encryptionHeaderBytes);
    const { bytesRead } = await handle.read(header, 0, header.length, 0);
    return openFile(header.subarray(0, bytesRead), identity);
  } finally {
    await handle.close();
  }
}

/**
 * The data in order.
 * @param range of the data, in bytes @param range.keepsPieces for streams, which read ahead; otherwise each piece is valid only until the
 *   next one
 * @throws Error at the first chunk that differs from the written one, and at the end of a truncated file
 */
export async function* plainPiecesOf(
  path: string,
  cipher: ChunkCipher,
  { start = 0, length = Number.POSITIVE_INFINITY, keepsPieces = false } = {},
): AsyncGenerator<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    // A complete file has at least one chunk.
    const chunks = Math.max(1, Math.ceil((size - encryptionHeaderBytes) / sealedChunkBytes));
    const memory = Buffer.allocUnsafeSlow(sealedChunkBytes);
    const end = start + length;
    for (let index = Math.floor(start / encryptedChunkBytes); index < chunks; index++) {
      const first = index * encryptedChunkBytes;
      if (first >= end) return;
      const sealed = await readChunk(handle, memory, index);
      const data = cipher.open(index, index === chunks - 1, sealed);
      yield data.subarray(Math.max(0, start - first), Math.min(data.length, end - first));
      if (!keepsPieces) release(data);
    }
  } finally {
    await handle.close();
  }
}

async function readChunk(handle: FileHandle, memory: Buffer, index: number): Promise<Buffer> {
  const place = encryptionHeaderBytes + index * sealedChunkBytes;
  const { bytesRead } = await handle.read(memory, 0, memory.length, place);
  return memory.subarray(0, bytesRead);
}
