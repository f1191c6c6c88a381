/** The Worker's two secrets and the first key: made on the first run, kept for ever after. Losing the encryption key loses every stored secret. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readJson, writePrivateJson } from './private-file.ts';

const secretsSchema = z.object({
  /** Token of /api/system. */
  operatorToken: z.string().min(32),
  /** 32 bytes, base64url: wraps every project's data key. */
  encryptionKey: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** Set only during a rotation: the values of before. */
  previousOperatorToken: z.string().optional(),
  previousEncryptionKey: z.string().optional(),
  /** Write key for all projects; null until the control plane has made it. */
  apiKey: z.string().nullable(),
});

export type Secrets = z.infer<typeof secretsSchema>;

/** Reads the secrets, or makes them. @throws Error when the file is damaged: a new key would orphan all data. */
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

/** Kept as soon as it exists: a start that fails after it does not make another. */
export function rememberApiKey(path: string, secrets: Secrets, apiKey: string): void {
  if (secrets.apiKey !== apiKey) writePrivateJson(path, { ...secrets, apiKey });
}

/** The secrets by their names in the Worker. */
export function workerSecrets(secrets: Secrets): Record<string, string> {
  const { previousOperatorToken, previousEncryptionKey } = secrets;
  return {
    OPERATOR_TOKEN: secrets.operatorToken,
    ENCRYPTION_KEY: secrets.encryptionKey,
    ...(previousOperatorToken ? { OPERATOR_TOKEN_PREVIOUS: previousOperatorToken } : {}),
    ...(previousEncryptionKey ? { ENCRYPTION_KEY_PREVIOUS: previousEncryptionKey } : {}),
  };
}
