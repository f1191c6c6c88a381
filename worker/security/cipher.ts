/** AES-256-GCM over texts of the form `<key name>.<iv>.<ciphertext and tag>`, base64url. The caller chooses key and context. */
import { fromBase64Url, toBase64Url } from './base64url.ts';

export const keyBytes = 32;
/** The IV length that AES-GCM uses directly, without hashing (NIST SP 800-38D, 5.2.1.1). */
const ivBytes = 12;
export const tagBytes = 16;

/** A key and its name, which is written before every text sealed with it. */
export interface NamedKey {
  name: string;
  key: CryptoKey;
}

/** @param context binds the ciphertext to its place, as additional data of AES-GCM */
export async function encrypt(
  { name, key }: NamedKey,
  context: string,
  clear: Uint8Array<ArrayBuffer>,
  fillRandom: (bytes: Uint8Array<ArrayBuffer>) => void,
): Promise<string> {
  const iv = new Uint8Array(ivBytes);
  fillRandom(iv);
  const sealed = await crypto.subtle.encrypt(gcm(iv, context), key, clear);
  return [name, toBase64Url(iv), toBase64Url(new Uint8Array(sealed))].join('.');
}

/** Returns the name of the key that sealed this text. @throws Error for another form */
export function keyNameOf(sealed: string): string {
  const [name = '', iv, ciphertext, ...rest] = sealed.split('.');
  if (!/^(v1|[kd][0-9a-f]{8})$/.test(name) || iv === undefined || ciphertext === undefined || rest.length > 0)
    throw new Error('A stored secret does not have the format of this version.');
  return name;
}

/** Tries the keys in order. @throws Error if none of them sealed this text for this context */
export async function decrypt(
  keys: readonly CryptoKey[],
  context: string,
  sealed: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const [, iv = '', ciphertext = ''] = sealed.split('.');
  let cause: unknown;
  for (const key of keys) {
    try {
      const algorithm = gcm(fromBase64Url(iv), context);
      return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, fromBase64Url(ciphertext)));
    } catch (error) {
      cause = error;
    }
  }
  throw new Error("A stored secret can't be decrypted: the key or place is wrong, or it was changed.", {
    cause,
  });
}

function importKey(raw: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

/** Imports a key under a part of a hash as its name, which distinguishes keys and reveals nothing about them. @param named the hashed text */
export async function nameKey(
  kind: 'k' | 'd',
  raw: Uint8Array<ArrayBuffer>,
  named: string,
): Promise<NamedKey> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(named)));
  const hex = Array.from(digest.slice(0, 4), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { name: `${kind}${hex}`, key: await importKey(raw) };
}

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}

function gcm(iv: Uint8Array<ArrayBuffer>, context: string): SubtleCryptoEncryptAlgorithm {
  return { name: 'AES-GCM', iv, additionalData: utf8(context), tagLength: tagBytes * 8 };
}
