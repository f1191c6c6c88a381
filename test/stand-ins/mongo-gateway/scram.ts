/** The server's side of SCRAM-SHA-256: RFC 5802 and RFC 7677. */
import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';

/** What is kept of a password. */
export interface Credentials {
  salt: Buffer;
  iterations: number;
  storedKey: Buffer;
  serverKey: Buffer;
}

/** As MongoDB's own: https://www.mongodb.com/docs/manual/core/security-scram/ */
const defaultIterations = 15_000;
const saltBytes = 28;
const nonceBytes = 24;

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest();

export function credentialsOf(
  password: string,
  salt = randomBytes(saltBytes),
  iterations = defaultIterations,
): Credentials {
  const salted = pbkdf2Sync(prepared(password), salt, iterations, 32, 'sha256');
  return {
    salt,
    iterations,
    storedKey: hash(hmac(salted, 'Client Key')),
    serverKey: hmac(salted, 'Server Key'),
  };
}

/** SASLprep (RFC 4013) as far as it changes anything: blanks become one kind, what is invisible goes, NFKC. */
function prepared(password: string): string {
  return password
    .replaceAll(/\p{Zs}/gu, ' ')
    .replaceAll(/\u00ad|\u034f|\u1806|[\u180b-\u180d]|[\u200b-\u200d]|\u2060|[\ufe00-\ufe0f]|\ufeff/g, '')
    .normalize('NFKC');
}

export interface Conversation {
  /** The user whom the client claims to be. */
  user: string;
  serverFirst: string;
  /** The server's last message; undefined when the proof is wrong. */
  finish(clientFinal: string): string | undefined;
}

/**
 * @param find the credentials of a user; for an unknown one some that no password fits, so that nobody learns who exists
 * @throws Error when the message is not of this mechanism
 */
export async function begin(
  clientFirst: string,
  find: (user: string) => Promise<Credentials>,
  serverNonce = randomBytes(nonceBytes).toString('base64'),
): Promise<Conversation> {
  // Without channel binding ("n" or "y"), and on nobody else's behalf.
  const bare = /^[ny],,(.*)$/s.exec(clientFirst)?.[1];
  const [, name, clientNonce] = /^n=([^,]+),r=([^,]+)$/.exec(bare ?? '') ?? [];
  if (name === undefined || clientNonce === undefined) throw new Error('The first message is not of SCRAM');
  const user = name.replaceAll('=2C', ',').replaceAll('=3D', '=');
  const { salt, iterations, storedKey, serverKey } = await find(user);
  const nonce = clientNonce + serverNonce;
  const serverFirst = `r=${nonce},s=${salt.toString('base64')},i=${iterations}`;
  return {
    user,
    serverFirst,
    finish(clientFinal) {
      const [, withoutProof, seenNonce, proof] = /^(c=[^,]+,r=([^,]+)),p=(.+)$/.exec(clientFinal) ?? [];
      if (withoutProof === undefined || proof === undefined || seenNonce !== nonce) return undefined;
      const signed = `${bare},${serverFirst},${withoutProof}`;
      const clientKey = xor(Buffer.from(proof, 'base64'), hmac(storedKey, signed));
      if (!timingSafeEqual(hash(clientKey), storedKey)) return undefined;
      return `v=${hmac(serverKey, signed).toString('base64')}`;
    },
  };
}

const xor = (one: Buffer, other: Buffer) => Buffer.from(one.map((byte, index) => byte ^ (other[index] ?? 0)));
