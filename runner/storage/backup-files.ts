/**
 * Backups on the host: `<data>/backups/<service>/<backup>`, one file each. A file with its final name is complete: it is written as
 * `.part` while its checksum is computed, flushed to disk, and only then renamed.
 */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { encryptedChunkBytes, encryptionTagBytes } from '../../protocol/backup-encryption.ts';
import { renameDurably } from '../base/replace-file.ts';
import { type ChunkCipher, newFile } from './encryption/age-format.ts';

const partSuffix = '.part';
/** Bytes read and written at a time, always in the same buffer: a new buffer per piece would create tens of megabytes of garbage. */
const pieceBytes = 256 * 1024;
/** Only the runner's user may read the files: a dump contains all data of the database. */
const modes = { directory: 0o700, file: 0o600 };

export interface WrittenFile {
  path: string;
  sizeBytes: number;
  /** `sha256:<hex>` */
  checksum: string;
}

export function backupsDirectory(dataDirectory: string, serviceId: string): string {
  return join(dataDirectory, 'backups', serviceId);
}

export const backupPath = (dataDirectory: string, serviceId: string, backupId: string) =>
  join(backupsDirectory(dataDirectory, serviceId), backupId);

/** The file differs from the written one. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
}

/** Writes bytes to a part file; nothing has the final name before `keep`. */
export class PartFile extends Writable {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  readonly #piece = Buffer.allocUnsafeSlow(pieceBytes);
  #gathered = 0;
  readonly #sealed = Buffer.allocUnsafeSlow(
    pieceBytes + (pieceBytes / encryptedChunkBytes) * encryptionTagBytes,
  );
  #sealedChunks = 0;
  /** Bytes of the file; complete once the stream has ended. */
  sizeBytes = 0;
  /** Encrypts the written bytes; `null` if the file is not encrypted. */
  cipher: ChunkCipher | null = null;

  private constructor(path: string, handle: FileHandle) {
    super({ highWaterMark: pieceBytes });
    this.#path = path;
    this.#handle = handle;
  }

  /** @param recipient `age1...`: its key decrypts the file; absent if it is not encrypted */
  static async create(path: string, recipient?: string): Promise<PartFile> {
    await mkdir(dirname(path), { recursive: true, mode: modes.directory });
    const part = new PartFile(path, await open(path + partSuffix, 'w', modes.file));
    if (recipient === undefined) return part;
    const { header, cipher } = newFile(recipient);
    part.cipher = cipher;
    await part.#store(header);
    return part;
  }

  /** Removes the part file of an earlier attempt. */
  static discard(path: string): Promise<void> {
    return rm(path + partSuffix, { force: true });
  }

  get partPath(): string {
    return this.#path + partSuffix;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#gather(chunk).then(() => done(), done);
  }

  /** A full piece waits for the next byte, because encryption marks the last piece. */
  async #gather(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      if (this.#gathered === pieceBytes) await this.#flush(false);
      const taken = chunk.copy(this.#piece, this.#gathered, at);
      at += taken;
      this.#gathered += taken;
    }
  }

  async #flush(isLast: boolean): Promise<void> {
    const piece = this.#piece.subarray(0, this.#gathered);
    this.#gathered = 0;
    if (this.cipher === null) return await this.#store(piece);
    await this.#store(this.#sealed.subarray(0, this.#seal(this.cipher, piece, isLast)));
  }

  /** @returns bytes of the chunks in `#sealed` */
  #seal(cipher: ChunkCipher, piece: Buffer, isLast: boolean): number {
    let end = 0;
    // The last chunk exists even if it is empty.
    for (let at = 0; at < piece.length || at === 0; at += encryptedChunkBytes) {
      const data = piece.subarray(at, at + encryptedChunkBytes);
      const ends = isLast && at + encryptedChunkBytes >= piece.length;
      end += cipher.seal(this.#sealedChunks, ends, data, this.#sealed.subarray(end));
      this.#sealedChunks += 1;
    }
    return end;
  }

  async #store(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    this.sizeBytes += bytes.length;
    await this.#handle.writeFile(bytes);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#flush(true)
      .then(() => this.#handle.sync())
      .then(() => this.#handle.close())
      .then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#handle.close().then(
      () => done(error),
      () => done(error),
    );
  }

  /** Gives the file its final name durably (flushes the directory, too). Call this after all bytes are written and verified. */
  async keep(): Promise<WrittenFile> {
    await renameDurably(this.partPath, this.#path);
    return { path: this.#path, sizeBytes: this.sizeBytes, checksum: `sha256:${this.#hash.digest('hex')}` };
  }
}

/** The file's bytes in order; every piece uses the same buffer, so it is valid only until the next one. */
export async function* piecesOf(
  path: string,
  { start = 0, length = Number.POSITIVE_INFINITY } = {},
): AsyncGenerator<Buffer> {
  const handle = await open(path, 'r');
  try {
    const memory = Buffer.allocUnsafeSlow(pieceBytes);
    for (let passed = 0; passed < length; ) {
      const wanted = Math.min(memory.length, length - passed);
      const { bytesRead } = await handle.read(memory, 0, wanted, start + passed);
      if (bytesRead === 0) return;
      passed += bytesRead;
      yield memory.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** @throws Error with a sentence when the file is missing or its bytes differ from the written ones */
export async function verifyFile(
  path: string,
  expected: { sizeBytes: number; checksum: string },
  signal: AbortSignal,
): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found)
    throw new DamagedFile(
      'The file of this backup is no longer on the host. If the service was moved since, move it back to restore the backup.',
    );
  if (found.size !== expected.sizeBytes) {
    throw new DamagedFile(
      `The file of this backup has ${found.size} bytes, but had ${expected.sizeBytes} when it was written.`,
    );
  }
  const hash = createHash('sha256');
  for await (const piece of piecesOf(path)) {
    signal.throwIfAborted();
    hash.update(piece);
  }
  if (`sha256:${hash.digest('hex')}` !== expected.checksum) {
    throw new DamagedFile(
      'The file of this backup is damaged: its checksum is not the one from when it was written.',
    );
  }
}

export async function removeBackupFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await PartFile.discard(path);
}

/** Total size in bytes of a service's backups on this host. */
export async function backupBytes(dataDirectory: string, serviceId: string): Promise<number> {
  const directory = backupsDirectory(dataDirectory, serviceId);
  const names = await readdir(directory).catch(() => []);
  const sizes = await Promise.all(names.map((name) => stat(join(directory, name)).then(({ size }) => size)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Ids of a service's complete backups on this host. */
export async function completeBackups(dataDirectory: string, serviceId: string): Promise<string[]> {
  const names = await readdir(backupsDirectory(dataDirectory, serviceId)).catch(() => []);
  return names.filter((name) => !name.endsWith(partSuffix)).sort();
}
