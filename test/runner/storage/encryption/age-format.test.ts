/** Encrypted files compared with the implementation of the format's author. */
import { createHash, randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  encryptedChunkBytes,
  encryptionHeaderBytes,
  encryptionTagBytes,
  plainBytesOf,
} from '../../../../protocol/backup-encryption.ts';
import { PartFile, verifyFile } from '../../../../runner/storage/backup-files.ts';
import { KeyMismatch } from '../../../../runner/storage/encryption/age-format.ts';
import { cipherOf, plainPiecesOf } from '../../../../runner/storage/encryption/plain-pieces.ts';

const sealedChunkBytes = encryptedChunkBytes + encryptionTagBytes;
let directory: string;
let identity: string;
let recipient: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'age-'));
  identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
});
afterAll(() => rm(directory, { recursive: true }));

/** Around the ends of chunks and of the buffer that holds four of them. */
const sizes = [1, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 1_000_000];

async function written(name: string, data: Buffer) {
  const part = await PartFile.create(join(directory, name), recipient);
  await pipeline([data.subarray(0, 1000), data.subarray(1000)], part);
  return await part.keep();
}

const readBack = async (path: string, range = {}) =>
  buffer(plainPiecesOf(path, await cipherOf(path, identity), { ...range, keepsPieces: true }));

test.each(sizes)(
  'another implementation reads a file of %i bytes that the runner encrypted',
  async (size) => {
    const data = randomBytes(size);
    const file = await written(`own-${size}`, data);
    await verifyFile(file.path, file, new AbortController().signal);
    expect([file.sizeBytes, plainBytesOf(file.sizeBytes)]).toEqual([(await stat(file.path)).size, size]);
    const stored = await readFile(file.path);
    expect(`sha256:${createHash('sha256').update(stored).digest('hex')}`).toBe(file.checksum);
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    expect(data.equals(await decrypter.decrypt(stored))).toBe(true);
    expect(data.equals(await readBack(file.path))).toBe(true);
  },
);

test('a file is encrypted and decrypted in memory that is given back at once', async () => {
  const piece = randomBytes(encryptedChunkBytes);
  const [count, megabyte] = [1_000, 1_000_000];
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const look = () => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  };
  async function* data() {
    for (let at = 0; at < count; at++) {
      look();
      yield piece;
    }
  }
  const part = await PartFile.create(join(directory, 'large'), recipient);
  await pipeline(data, part);
  const file = await part.keep();
  let read = 0;
  for await (const plain of plainPiecesOf(file.path, await cipherOf(file.path, identity))) {
    look();
    if (!piece.equals(plain)) expect.unreachable(`piece ${read} differs`);
    read += 1;
  }
  expect(read).toBe(count);
  expect(most, 'of 65 MB').toBeLessThan(5 * megabyte);
});

test.each(sizes)(
  'the runner reads a file of %i bytes that another implementation encrypted',
  async (size) => {
    const data = randomBytes(size);
    const encrypter = new Encrypter();
    encrypter.addRecipient(recipient);
    const path = join(directory, `other-${size}`);
    await writeFile(path, await encrypter.encrypt(data));
    expect(data.equals(await readBack(path))).toBe(true);
  },
);

test('a range of the data is read from the chunks that hold it', async () => {
  const data = randomBytes(300_000);
  const { path } = await written('ranges', data);
  for (const [start, end] of [
    [0, 1],
    [65_535, 65_537],
    [65_536, 131_072],
    [299_999, 300_000],
    [10, 299_990],
  ] as const) {
    const read = await readBack(path, { start, length: end - start });
    expect(data.subarray(start, end).equals(read), `${start} to ${end}`).toBe(true);
  }
});

test.each<[string, (path: string) => Promise<void>]>([
  ['with a flipped bit', (path) => flip(path, encryptionHeaderBytes + sealedChunkBytes + 5)],
  ['cut at the end of a chunk', (path) => truncate(path, encryptionHeaderBytes + 2 * sealedChunkBytes)],
  ['cut inside a chunk', (path) => truncate(path, encryptionHeaderBytes + sealedChunkBytes + 90)],
  ['without any chunk', (path) => truncate(path, encryptionHeaderBytes)],
  ['with two chunks exchanged', exchangeChunks],
  ['with a changed header', (path) => flip(path, 150)],
  ['that is no encrypted file', (path) => writeFile(path, 'PGDMP')],
])('a file %s is refused', async (name, damage) => {
  const { path } = await written('whole', randomBytes(200_000));
  const damaged = join(directory, name.replaceAll(' ', '-'));
  await copyFile(path, damaged);
  await damage(damaged);
  await expect(readBack(damaged)).rejects.toThrow();
});

test('a file does not open with another key', async () => {
  const { path } = await written('foreign', randomBytes(100));
  await expect(cipherOf(path, await generateX25519Identity())).rejects.toThrow(KeyMismatch);
});

async function flip(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  await writeFile(path, bytes);
}

async function exchangeChunks(path: string): Promise<void> {
  const bytes = await readFile(path);
  const chunk = (index: number) => {
    const start = encryptionHeaderBytes + index * sealedChunkBytes;
    return bytes.subarray(start, start + sealedChunkBytes);
  };
  const rest = bytes.subarray(encryptionHeaderBytes + 2 * sealedChunkBytes);
  await writeFile(path, Buffer.concat([bytes.subarray(0, encryptionHeaderBytes), chunk(1), chunk(0), rest]));
}
