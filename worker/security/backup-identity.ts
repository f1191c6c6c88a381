/**
 * Key pairs of encrypted backups, in the age format (https://age-encryption.org/v1), and decryption if no host can do it. The package is
 * loaded when needed, which in most isolates is never.
 */

export interface BackupIdentity {
  /** `AGE-SECRET-KEY-1...`, for decryption. */
  identity: string;
  /** `age1...`, for encryption. */
  recipient: string;
}

export async function newBackupIdentity(): Promise<BackupIdentity> {
  const { generateX25519Identity, identityToRecipient } = await import('age-encryption');
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/**
 * Decrypts as a stream, about 60 MB per second of CPU time.
 * @throws Error if the identity does not open the file; the stream fails at the first chunk that was changed
 */
export async function decryptBackup(identity: string, file: ReadableStream): Promise<ReadableStream> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return decrypter.decrypt(file);
}
