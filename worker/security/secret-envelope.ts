/**
 * Secrets at rest in D1: AES-256-GCM with a data key per project, which is wrapped with the Worker secret ENCRYPTION_KEY.
 * A ciphertext is bound to its place (table, column, row), so it can't be decrypted in another row.
 * Stored as `v1.<iv>.<ciphertext and tag>`, base64url. `v1` stands for the ENCRYPTION_KEY, so that a second key can be added later.
 */

import { fromBase64Url, toBase64Url } from './base64url.ts';

/** The location of a ciphertext, used as additional data of AES-GCM. */
export interface SecretPlace {
  table: string;
  column: string;
  rowId: string;
}

export interface SecretEnvelope {
  /** Creates a wrapped data key, to be stored with the project. */
  newDataKey(projectId: string): Promise<string>;
  /** Encrypts with a project's data key. */
  seal(wrappedDataKey: string, projectId: string, place: SecretPlace, clear: string): Promise<string>;
  /** @throws Error if key, place and ciphertext do not match */
  open(wrappedDataKey: string, projectId: string, place: SecretPlace, sealed: string): Promise<string>;
  /** The same for secrets of the instance (provider credentials), directly with ENCRYPTION_KEY. */
  sealForInstance(place: SecretPlace, clear: string): Promise<string>;
  openForInstance(place: SecretPlace, sealed: string): Promise<string>;
}

const keyVersion = 'v1';
const keyBytes = 32;
/** The IV length that AES-GCM uses directly, without hashing (NIST SP 800-38D, 5.2.1.1). */
const ivBytes = 12;
const tagBytes = 16;

/**
 * @param encryptionKey 32 bytes, base64url
 * @throws Error at first use if the key is missing or has another length
 */
export function createSecretEnvelope(
  encryptionKey: string | undefined,
  fillRandom: (bytes: Uint8Array<ArrayBuffer>) => void,
): SecretEnvelope {
  const instanceKey = once(() => importKey(readEncryptionKey(encryptionKey)));
  const dataKeys = new Map<string, Promise<CryptoKey>>();

  const encrypt = async (key: CryptoKey, context: string, clear: Uint8Array<ArrayBuffer>) => {
    const iv = new Uint8Array(ivBytes);
    fillRandom(iv);
    const sealed = await crypto.subtle.encrypt(gcm(iv, context), key, clear);
    return [keyVersion, toBase64Url(iv), toBase64Url(new Uint8Array(sealed))].join('.');
  };
  /** Unwraps each key once, however many variables a request decrypts. */
  const dataKey = (wrapped: string, projectId: string): Promise<CryptoKey> => {
    const known = dataKeys.get(wrapped + projectId);
    if (known) return known;
    const opened = (async () =>
      importKey(await decrypt(await instanceKey(), dataKeyContext(projectId), wrapped)))();
    dataKeys.set(wrapped + projectId, opened);
    return opened;
  };

  return {
    async newDataKey(projectId) {
      const raw = new Uint8Array(keyBytes);
      fillRandom(raw);
      return encrypt(await instanceKey(), dataKeyContext(projectId), raw);
    },
    async seal(wrapped, projectId, place, clear) {
      return encrypt(await dataKey(wrapped, projectId), placeContext(place, projectId), utf8(clear));
    },
    async open(wrapped, projectId, place, sealed) {
      const clear = await decrypt(await dataKey(wrapped, projectId), placeContext(place, projectId), sealed);
      return textOf(clear);
    },
    async sealForInstance(place, clear) {
      return encrypt(await instanceKey(), placeContext(place, ''), utf8(clear));
    },
    async openForInstance(place, sealed) {
      const clear = await decrypt(await instanceKey(), placeContext(place, ''), sealed);
      return textOf(clear);
    },
  };
}

/** Length of a secret's clear text, derived from its ciphertext without decryption. @returns bytes of UTF-8 */
export function clearBytesOf(sealed: string): number {
  const ciphertext = sealed.slice(sealed.lastIndexOf('.') + 1);
  return Math.floor((ciphertext.length * 3) / 4) - tagBytes;
}

async function decrypt(key: CryptoKey, context: string, sealed: string): Promise<Uint8Array<ArrayBuffer>> {
  const [version, iv, ciphertext, ...rest] = sealed.split('.');
  if (version !== keyVersion || iv === undefined || ciphertext === undefined || rest.length > 0) {
    throw new Error('A stored secret does not have the format of this version.');
  }
  try {
    return new Uint8Array(
      await crypto.subtle.decrypt(gcm(fromBase64Url(iv), context), key, fromBase64Url(ciphertext)),
    );
  } catch (cause) {
    throw new Error("A stored secret can't be decrypted: the key or place is wrong, or it was changed.", {
      cause,
    });
  }
}

function gcm(iv: Uint8Array<ArrayBuffer>, context: string): SubtleCryptoEncryptAlgorithm {
  return { name: 'AES-GCM', iv, additionalData: utf8(context), tagLength: tagBytes * 8 };
}

/** One part per line; no part can contain a line feed. */
function placeContext(place: SecretPlace, projectId: string): string {
  return ['longshore-secret-v1', place.table, place.column, place.rowId, projectId].join('\n');
}

function dataKeyContext(projectId: string): string {
  return ['longshore-data-key-v1', projectId].join('\n');
}

function readEncryptionKey(text = ''): Uint8Array<ArrayBuffer> {
  // 32 bytes are 43 characters; any other key would fail later with a less helpful error.
  if (!/^[A-Za-z0-9_-]{43}$/.test(text)) {
    throw new Error(`The Worker secret ENCRYPTION_KEY must be ${keyBytes} bytes, base64url without padding.`);
  }
  return fromBase64Url(text);
}

function importKey(raw: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A byte order mark is part of the secret and is kept. */
function textOf(clear: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(clear);
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}
