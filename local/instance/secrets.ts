/**
 * The Worker's two secrets and the first key. The first run creates them, and they are kept from then on. Without the encryption key, every
 * stored secret is lost.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readJson, writePrivateJson } from './private-file.ts';

const secretsSchema = z.object({
  /** The token of /api/system. */
  operatorToken: z.string().min(32),
  /** 32 bytes, base64url; encrypts every project's data key. */
  encryptionKey: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** Only set during a rotation: the previous values. */
  previousOperatorToken: z.string().optional(),
  previousEncryptionKey: z.string().optional(),
  /** A write key for all projects; null until the control plane has created it. */
  apiKey: z.string().nullable(),
});

export type Secrets = z.infer<typeof secretsSchema>;

/** Reads the secrets, or creates them. @throws Error when the file is damaged: with a new key, all data would be unreadable. */
export function ensureSecrets(path: string): Secrets {
  const known = readJson(path, secretsSchema);
  if (known !== undefined) return known;
  const made: Secrets = {
    operatorToken: `lso_${randomBytes(32).toString('base64url')}`,
    encryptionKey: randomBytes(32).toString('base64url'),
    apiKey: null,
  };
  writePrivateJson(path, made);
  return made;
}

/** Stores the key as soon as it exists, so that a start that fails later does not create another one. */
export function rememberApiKey(path: string, secrets: Secrets, apiKey: string): void {
  if (secrets.apiKey !== apiKey) writePrivateJson(path, { ...secrets, apiKey });
}

/** The secrets under their names in the Worker. */
export function workerSecrets(secrets: Secrets): Record<string, string> {
  const { previousOperatorToken, previousEncryptionKey } = secrets;
  return {
    OPERATOR_TOKEN: secrets.operatorToken,
    ENCRYPTION_KEY: secrets.encryptionKey,
    ...(previousOperatorToken ? { OPERATOR_TOKEN_PREVIOUS: previousOperatorToken } : {}),
    ...(previousEncryptionKey ? { ENCRYPTION_KEY_PREVIOUS: previousEncryptionKey } : {}),
  };
}
