/**
 * The runner's two key pairs, created at enrolment and kept in the data directory, mode 0600.
 * Ed25519 (RFC 8032) signs each hello; X25519 (RFC 7748) decrypts secrets.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../base/replace-file.ts';
import { RunnerError } from '../base/runner-error.ts';

export interface Identity {
  /** Raw public keys for the enrolment, base64url. */
  readonly identityKey: string;
  readonly sealingKey: string;
  /** X25519, for connection/sealed-box. */
  readonly openingKey: KeyObject;
  /** Ed25519 over the text's UTF-8 bytes, base64url. */
  sign(text: string): string;
}

const keyFiles = { signing: 'identity.pem', opening: 'sealing.pem' } as const;

/**
 * The keys of the data directory; missing ones are created.
 * If an enrolment fails half-way, the next one uses the same keys.
 */
export function ensureIdentity(dataDirectory: string): Identity {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  makeKey(join(dataDirectory, keyFiles.signing), () => generateKeyPairSync('ed25519').privateKey);
  makeKey(join(dataDirectory, keyFiles.opening), () => generateKeyPairSync('x25519').privateKey);
  return readIdentity(dataDirectory);
}

/** @throws RunnerError `keys_unusable` */
export function readIdentity(dataDirectory: string): Identity {
  const signingKey = readKey(join(dataDirectory, keyFiles.signing), 'ed25519');
  const openingKey = readKey(join(dataDirectory, keyFiles.opening), 'x25519');
  return {
    identityKey: publicPart(signingKey),
    sealingKey: publicPart(openingKey),
    openingKey,
    sign: (text) => sign(null, Buffer.from(text), signingKey).toString('base64url'),
  };
}

function makeKey(path: string, generate: () => KeyObject): void {
  if (existsSync(path)) return;
  replaceFile(path, generate().export({ type: 'pkcs8', format: 'pem' }).toString());
}

function readKey(path: string, type: string): KeyObject {
  try {
    const key = createPrivateKey(readFileSync(path));
    if (key.asymmetricKeyType === type) return key;
    throw new Error(`it contains no ${type} key`);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RunnerError(
      'keys_unusable',
      `${path} can't be used (${reason}): restore it from a backup, or enrol this host again in another data directory.`,
      { cause },
    );
  }
}

/** RFC 8037: the member `x` of the JSON Web Key is the raw public key in base64url. */
function publicPart(key: KeyObject): string {
  const { x } = key.export({ format: 'jwk' });
  if (x === undefined) throw new RunnerError('keys_unusable', 'A key has no public part.');
  return x;
}
