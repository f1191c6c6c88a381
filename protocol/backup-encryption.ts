/**
 * The layout of an encrypted backup: the age format (https://age-encryption.org/v1) with one X25519 recipient. The header
 * always has the same size, so sizes and positions can be calculated.
 */

/** Size of the header and nonce of a file with one recipient. */
export const encryptionHeaderBytes = 184;
/** Data bytes in each chunk except the last; a tag follows each chunk. */
export const encryptedChunkBytes = 64 * 1024;
export const encryptionTagBytes = 16;

/** Number of data bytes in an encrypted file. @param storedBytes size of the file */
export function plainBytesOf(storedBytes: number): number {
  const payload = storedBytes - encryptionHeaderBytes;
  return payload - Math.ceil(payload / (encryptedChunkBytes + encryptionTagBytes)) * encryptionTagBytes;
}
