/** The Worker secrets ENCRYPTION_KEY and, during a rotation, ENCRYPTION_KEY_PREVIOUS: the first seals, both open. */
import { fromBase64Url } from './base64url.ts';
import { keyBytes, type NamedKey, nameKey } from './cipher.ts';

/** 32 bytes each, base64url. */
export interface EncryptionKeys {
  current: string | undefined;
  previous?: string | undefined;
}

/**
 * Imports the keys, the current one first. A previous key that equals the current one is none.
 * @throws Error if a key has another length, or the current one is missing
 */
export async function importEncryptionKeys({ current, previous }: EncryptionKeys): Promise<NamedKey[]> {
  const texts = [readKey('ENCRYPTION_KEY', current)];
  if (previous) texts.push(readKey('ENCRYPTION_KEY_PREVIOUS', previous));
  return Promise.all([...new Set(texts)].map(namedKey));
}

const namedKey = (text: string): Promise<NamedKey> =>
  nameKey('k', fromBase64Url(text), `longshore-key-name-v1\n${text}`);

function readKey(secret: string, text = ''): string {
  // 32 bytes are 43 characters; any other key would fail later with a less helpful error.
  if (/^[A-Za-z0-9_-]{43}$/.test(text)) return text;
  throw new Error(`The Worker secret ${secret} must be ${keyBytes} bytes, base64url without padding.`);
}
