/**
 * Secrets at rest in D1: AES-256-GCM with a data key per project, which is wrapped with the Worker secret ENCRYPTION_KEY.
 * A ciphertext is bound to its place (table, column, row), so it can't be decrypted in another row.
 *
 * Stored as `<key>.<iv>.<ciphertext and tag>`, base64url. `<key>` is the name of the ENCRYPTION_KEY that sealed a data key or a secret of
 * the instance, or of the data key that sealed a secret of a project, so that a rotation finds the remaining rows. `v1` is either of them
 * in rows from the time before keys had names.
 *
 * While data keys are replaced, a project has two: the new one, which seals, and the previous one. They are in one column, separated by a
 * space, and always wrapped with the same ENCRYPTION_KEY.
 */
import { fromBase64Url, toBase64Url } from './base64url.ts';
import { decrypt, encrypt, keyBytes, keyNameOf, type NamedKey, nameKey, tagBytes, utf8 } from './cipher.ts';

/** The location of a ciphertext, used as additional data of AES-GCM. */
export interface SecretPlace {
  table: string;
  column: string;
  rowId: string;
}

export interface SecretEnvelope {
  /** Names of the ENCRYPTION_KEY and of the previous one, which is null except during a rotation. @throws Error if one is missing or malformed */
  keyNames(): Promise<{ current: string; previous: string | null }>;
  /** Creates a wrapped data key, to be stored with the project. */
  newDataKey(projectId: string): Promise<string>;
  /** Wraps the same data keys with the current ENCRYPTION_KEY. @throws Error if no key can unwrap them */
  rewrapDataKey(wrappedDataKey: string, projectId: string): Promise<string>;
  /** Puts a new data key before the current one, which can still decrypt. An older key is removed. @throws Error if no key can unwrap it */
  renewDataKey(wrappedDataKey: string, projectId: string): Promise<string>;
  /** The name of the data key that seals; it is written before every text sealed with it. */
  dataKeyName(wrappedDataKey: string, projectId: string): Promise<string>;
  /** Encrypts with a project's data key. */
  seal(wrappedDataKey: string, projectId: string, place: SecretPlace, clear: string): Promise<string>;
  /** @throws Error if key, place and ciphertext do not match */
  open(wrappedDataKey: string, projectId: string, place: SecretPlace, sealed: string): Promise<string>;
  /** Same as `seal` for secrets of the instance (provider credentials), directly with ENCRYPTION_KEY. */
  sealForInstance(place: SecretPlace, clear: string): Promise<string>;
  openForInstance(place: SecretPlace, sealed: string): Promise<string>;
}

const unnamed = 'v1';

/** @throws Error at first use if the key is missing or has the wrong length */
export function createSecretEnvelope(
  keys: EncryptionKeys,
  fillRandom: (bytes: Uint8Array<ArrayBuffer>) => void,
): SecretEnvelope {
  const ring = once(() => importEncryptionKeys(keys));
  const dataKeys = new Map<string, Promise<NamedKey>>();

  const wrap = async (context: string, clear: Uint8Array<ArrayBuffer>) => {
    const [current] = await ring();
    if (!current) throw new Error('There is no ENCRYPTION_KEY.');
    return encrypt(current, context, clear, fillRandom);
  };
  const unwrap = async (context: string, sealed: string) =>
    decrypt(candidates(await ring(), keyNameOf(sealed)), context, sealed);
  /** Unwraps each key only once, for any number of variables in a request. */
  const dataKey = (wrapped: string, projectId: string): Promise<NamedKey> => {
    const known = dataKeys.get(wrapped + projectId);
    if (known) return known;
    const opened = unwrap(dataKeyContext(projectId), wrapped).then((raw) =>
      nameKey('d', raw, `longshore-data-key-name-v1\n${toBase64Url(raw)}`),
    );
    dataKeys.set(wrapped + projectId, opened);
    return opened;
  };
  const makeDataKey = (projectId: string) => {
    const raw = new Uint8Array(keyBytes);
    fillRandom(raw);
    return wrap(dataKeyContext(projectId), raw);
  };
  const rewrap = async (wrapped: string, projectId: string) => {
    const context = dataKeyContext(projectId);
    return wrap(context, await unwrap(context, wrapped));
  };

  return {
    async keyNames() {
      const [current, previous] = await ring();
      return { current: current?.name ?? '', previous: previous?.name ?? null };
    },
    newDataKey: makeDataKey,
    async rewrapDataKey(wrapped, projectId) {
      const keys = await Promise.all(wrapped.split(' ').map((one) => rewrap(one, projectId)));
      return keys.join(' ');
    },
    async renewDataKey(wrapped, projectId) {
      const keys = [makeDataKey(projectId), rewrap(sealingDataKey(wrapped), projectId)];
      return (await Promise.all(keys)).join(' ');
    },
    async dataKeyName(wrapped, projectId) {
      return (await dataKey(sealingDataKey(wrapped), projectId)).name;
    },
    async seal(wrapped, projectId, place, clear) {
      const key = await dataKey(sealingDataKey(wrapped), projectId);
      return encrypt(key, placeContext(place, projectId), utf8(clear), fillRandom);
    },
    async open(wrapped, projectId, place, sealed) {
      const name = keyNameOf(sealed);
      if (!isDataKeyName(name)) throw new Error('A stored secret does not have the form of a project.');
      const keys = await Promise.all(wrapped.split(' ').map((one) => dataKey(one, projectId)));
      const fitting = keys.filter((one) => name === unnamed || one.name === name).map(({ key }) => key);
      return textOf(await decrypt(fitting, placeContext(place, projectId), sealed));
    },
    sealForInstance: (place, clear) => wrap(placeContext(place, ''), utf8(clear)),
    async openForInstance(place, sealed) {
      return textOf(await unwrap(placeContext(place, ''), sealed));
    },
  };
}

/** The data key of a project that seals, and the only one that remains after a replacement. */
export const sealingDataKey = (wrappedDataKey: string): string => wrappedDataKey.split(' ')[0] ?? '';

const isDataKeyName = (name: string) => name === unnamed || name.startsWith('d');

/** Length of a secret's clear text, derived from its ciphertext without decryption. @returns bytes of UTF-8 */
export function clearBytesOf(sealed: string): number {
  const ciphertext = sealed.slice(sealed.lastIndexOf('.') + 1);
  return Math.floor((ciphertext.length * 3) / 4) - tagBytes;
}

/** @throws Error with the name of the missing key, which was probably removed too early */
function candidates(ring: readonly NamedKey[], name: string): CryptoKey[] {
  const found = name === unnamed ? ring : ring.filter((one) => one.name === name);
  if (found.length > 0) return found.map(({ key }) => key);
  throw new Error(
    `A stored secret can't be decrypted: it was sealed with the encryption key ${name}, which this Worker does not have. Set it as ENCRYPTION_KEY_PREVIOUS.`,
  );
}

/** One part per line; no part can contain a line feed. */
function placeContext(place: SecretPlace, projectId: string): string {
  return ['longshore-secret-v1', place.table, place.column, place.rowId, projectId].join('\n');
}

function dataKeyContext(projectId: string): string {
  return ['longshore-data-key-v1', projectId].join('\n');
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A byte order mark is part of the secret and must not be removed. */
function textOf(clear: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(clear);
}

/** 32 bytes each, base64url. */
interface EncryptionKeys {
  current: string | undefined;
  previous?: string | undefined;
}

/**
 * The Worker secrets ENCRYPTION_KEY and, during a rotation, ENCRYPTION_KEY_PREVIOUS: the first encrypts, both
 * decrypt. Imports the keys, the current one first. A previous key that equals the current one is ignored.
 * @throws Error if a key has the wrong length, or the current one is missing
 */
async function importEncryptionKeys({ current, previous }: EncryptionKeys): Promise<NamedKey[]> {
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
