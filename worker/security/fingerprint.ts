/**
 * A keyed hash that recognises a text without storing it: HMAC-SHA-256 with a key derived from ENCRYPTION_KEY (HKDF, RFC 5869). A plain
 * hash would not hide values that can be guessed: all IPv4 addresses can be hashed in seconds, and so can short passwords in requests.
 */
import { sameText } from './api-token.ts';
import { fromBase64Url, toBase64Url } from './base64url.ts';

/** Separates fingerprints by use: those of one use reveal nothing about those of another. */
export type FingerprintUse =
  | 'address'
  | 'request'
  | 'transfer'
  | 'shell'
  | 'log-ticket'
  | 'session'
  | 'sign-in'
  | 'github-setup'
  | 'passkey'
  | 'device-code';

/** Equal texts have equal fingerprints. */
export type Fingerprint = (use: FingerprintUse, text: string) => Promise<string>;
/** Whether this is the text's fingerprint; during a rotation, those of the previous key are valid too. Constant time. */
export type IsFingerprint = (use: FingerprintUse, text: string, presented: string) => Promise<boolean>;

const derivation = new TextEncoder().encode('longshore-fingerprint-v1');

/** @param encryptionKey 32 bytes, base64url */
export function createFingerprint(encryptionKey: string): Fingerprint {
  let key: Promise<CryptoKey> | undefined;
  return async (use, text) => {
    key ??= deriveKey(encryptionKey);
    const mac = await crypto.subtle.sign('HMAC', await key, new TextEncoder().encode(`${use}\n${text}`));
    return toBase64Url(new Uint8Array(mac));
  };
}

/** @param fingerprints of the current key, and of the previous one if there is one */
export function createFingerprintCheck(...fingerprints: Fingerprint[]): IsFingerprint {
  return async (use, text, presented) => {
    const expected = await Promise.all(fingerprints.map((fingerprint) => fingerprint(use, text)));
    return expected.map((one) => sameText(presented, one)).includes(true);
  };
}

async function deriveKey(encryptionKey: string): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', fromBase64Url(encryptionKey), 'HKDF', false, [
    'deriveKey',
  ]);
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: derivation },
    secret,
    { name: 'HMAC', hash: 'SHA-256', length: 256 },
    false,
    ['sign'],
  );
}
