/**
 * How the bytes of an encrypted backup are laid out: the age format (https://age-encryption.org/v1) with one X25519 recipient. The header
 * always has the same size, so sizes and positions follow from arithmetic alone.
 */

/** Header and nonce of a file with one recipient. */
export const encryptionHeaderBytes = 184;
/** Data in each chunk but the last; a chunk is followed by its tag. */
export const encryptedChunkBytes = 64 * 1024;
export const encryptionTagBytes = 16;

/** Bytes of the data in an encrypted file. @param storedBytes size of the file */
export function plainBytesOf(storedBytes: number): number {
  const payload = storedBytes - encryptionHeaderBytes;
  return payload - Math.ceil(payload / (encryptedChunkBytes + encryptionTagBytes)) * encryptionTagBytes;
}
