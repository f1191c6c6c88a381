/**
 * The age format (https://age-encryption.org/v1) with one X25519 recipient, by the primitives of node:crypto. Libraries for it compute
 * ChaCha20-Poly1305 in JavaScript, at about a fifteenth of the speed.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { encryptionHeaderBytes, encryptionTagBytes } from '../../../protocol/backup-encryption.ts';

const cipherName = 'chacha20-poly1305';
const cipherOptions = { authTagLength: encryptionTagBytes };
const nonceBytes = 16;
const fileKeyBytes = 16;
const keyBytes = 32;
/** The file key is encrypted only once with its key, so the nonce may be constant. */
const wrapNonce = Buffer.alloc(12);
const noSalt = Buffer.alloc(0);
const headerPattern =
  /^age-encryption\.org\/v1\n-> X25519 ([A-Za-z0-9+/]{43})\n([A-Za-z0-9+/]{43})\n--- ([A-Za-z0-9+/]{43})\n$/;

/** The header does not belong to this key, or is invalid. */
export class KeyMismatch extends Error {
  override readonly name = 'KeyMismatch';
}

/** Encrypts and decrypts the chunks of one file. */
export interface ChunkCipher {
  /** @param index of the chunk in the file, from 0 @param into receives data and tag @returns bytes written */
  seal(index: number, isLast: boolean, data: Uint8Array, into: Uint8Array): number;
  /** @throws Error when the bytes differ from those written at this place */
  open(index: number, isLast: boolean, sealed: Uint8Array): Buffer;
}

/** @param recipient `age1...` @returns the header with which the file begins, and the cipher of its chunks */
export function newFile(recipient: string): { header: Buffer; cipher: ChunkCipher } {
  const theirs = fromBech32(recipient, 'age1');
  const fileKey = randomBytes(fileKeyBytes);
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const share = rawPublicKey(publicKey);
  const shared = diffieHellman({ privateKey, publicKey: publicKeyOf(theirs) });
  const wrap = createCipheriv(cipherName, wrapKey(shared, share, theirs), wrapNonce, cipherOptions);
  const wrapped = Buffer.concat([wrap.update(fileKey), wrap.final(), wrap.getAuthTag()]);
  const signed = `age-encryption.org/v1\n-> X25519 ${base64(share)}\n${base64(wrapped)}\n---`;
  const nonce = randomBytes(nonceBytes);
  const header = Buffer.concat([Buffer.from(`${signed} ${base64(macOf(fileKey, signed))}\n`), nonce]);
  return { header, cipher: chunkCipher(fileKey, nonce) };
}

/**
 * @param header the first bytes of the file @param identity `AGE-SECRET-KEY-1...`
 * @throws KeyMismatch
 */
export function openFile(header: Uint8Array, identity: string): ChunkCipher {
  const text = Buffer.from(header.subarray(0, encryptionHeaderBytes - nonceBytes)).toString('latin1');
  const [, share = '', wrapped = '', mac = ''] = headerPattern.exec(text) ?? [];
  if (share === '' || header.length !== encryptionHeaderBytes)
    throw new KeyMismatch('The file is not encrypted, or not with one X25519 key.');
  const fileKey = unwrap(Buffer.from(share, 'base64'), Buffer.from(wrapped, 'base64'), identity);
  const expected = macOf(fileKey, text.slice(0, text.lastIndexOf('---') + 3));
  if (!timingSafeEqual(expected, Buffer.from(mac, 'base64')))
    throw new KeyMismatch('The header of the file was changed.');
  return chunkCipher(fileKey, header.subarray(encryptionHeaderBytes - nonceBytes));
}

function unwrap(share: Buffer, wrapped: Buffer, identity: string): Buffer {
  const privateKey = privateKeyOf(fromBech32(identity.toLowerCase(), 'age-secret-key-1'));
  const ours = rawPublicKey(createPublicKey(privateKey));
  try {
    const shared = diffieHellman({ privateKey, publicKey: publicKeyOf(share) });
    const cipher = createDecipheriv(cipherName, wrapKey(shared, share, ours), wrapNonce, cipherOptions);
    cipher.setAuthTag(wrapped.subarray(fileKeyBytes));
    return Buffer.concat([cipher.update(wrapped.subarray(0, fileKeyBytes)), cipher.final()]);
  } catch (error) {
    throw new KeyMismatch('The file was encrypted with another key.', { cause: error });
  }
}

function chunkCipher(fileKey: Uint8Array, nonce: Uint8Array): ChunkCipher {
  const key = derived(fileKey, nonce, 'payload');
  return {
    seal(index, isLast, data, into) {
      const cipher = createCipheriv(cipherName, key, chunkNonce(index, isLast), cipherOptions);
      const sealed = cipher.update(data);
      into.set(sealed);
      release(sealed);
      cipher.final();
      into.set(cipher.getAuthTag(), data.length);
      return data.length + encryptionTagBytes;
    },
    open(index, isLast, sealed) {
      const cipher = createDecipheriv(cipherName, key, chunkNonce(index, isLast), cipherOptions);
      const end = sealed.length - encryptionTagBytes;
      cipher.setAuthTag(sealed.subarray(end));
      const data = cipher.update(sealed.subarray(0, end));
      cipher.final();
      return data;
    },
  };
}

/**
 * Releases the memory of a chunk at once. A cipher writes each chunk into separate memory, outside of V8's heap, and tens of megabytes of
 * it would wait for the next collection. The buffer is empty afterwards. Node 20 has no such method.
 */
export function release({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer?.(0);
}

/** Eleven bytes are the index and one marks the last chunk, so that no chunk can be moved, left out or cut off. */
function chunkNonce(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(index, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

const wrapKey = (shared: Buffer, share: Uint8Array, recipient: Uint8Array) =>
  derived(shared, Buffer.concat([share, recipient]), 'age-encryption.org/v1/X25519');
const macOf = (fileKey: Uint8Array, signed: string) =>
  createHmac('sha256', derived(fileKey, noSalt, 'header'))
    .update(signed)
    .digest();
const derived = (from: Uint8Array, salt: Uint8Array, info: string) =>
  Buffer.from(hkdfSync('sha256', from, salt, info, keyBytes));

const publicKeyOf = (raw: Buffer) =>
  createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') }, format: 'jwk' });
const rawPublicKey = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
/** The bytes before the key are those of PKCS #8: RFC 8410, section 7. */
const privateKeyOf = (raw: Buffer) =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), raw]),
    format: 'der',
    type: 'pkcs8',
  });
const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/** @returns the 32 bytes of a Bech32 key; its checksum is not compared, because no person types it here @throws Error for other text */
function fromBech32(text: string, prefix: string): Buffer {
  const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
  const checksumLetters = 6;
  const bytes = Buffer.alloc(keyBytes);
  let [bits, count, at] = [0, 0, 0];
  for (const letter of text.slice(prefix.length, -checksumLetters)) {
    const value = letters.indexOf(letter);
    if (value < 0) break;
    bits = ((bits << 5) | value) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes[at++] = (bits >> count) & 0xff;
  }
  if (!text.startsWith(prefix) || at !== keyBytes)
    throw new Error(`This is not a key that begins with ${prefix}.`);
  return bytes;
}
