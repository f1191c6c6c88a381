/**
 * Signed requests of one account to a CA (RFC 8555, sections 6 and 7.3). No library is used: those for Node include an HTTP client and a
 * second implementation of cryptography, for a few requests per quarter of a year.
 */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { replaceFile } from '../../../base/replace-file.ts';
import { AcmeFailure, failureOf, problemType } from './acme-failure.ts';
import { type AcmeAnswer, type AcmeHttp, acmeHttp } from './acme-http.ts';

export interface AcmeSettings {
  /** URL of the CA's directory. */
  acmeDirectory: string;
  acmeEmail: string | null;
  /** PEM file with the root that verifies the CA's own server; `null` for those of the machine. */
  acmeCaRoot: string | null;
}

export interface AcmeAccount {
  /** POST with this payload; `null` reads (POST-as-GET). @throws AcmeFailure */
  post(url: string, payload: object | null): Promise<AcmeAnswer>;
  newOrderUrl: string;
  /** The answer to a challenge with this token (section 8.1). */
  keyAuthorization(token: string): string;
}

const directorySchema = z.object({ newNonce: z.string(), newAccount: z.string(), newOrder: z.string() });
const keptSchema = z.object({ directory: z.string(), key: z.string() });
const nonceTriesMax = 4;

/**
 * The account of this host, which is created at the CA if there is none.
 * @param file contains the account's key
 * @throws AcmeFailure
 */
export async function openAccount(
  settings: AcmeSettings,
  file: string,
  signal: AbortSignal,
): Promise<AcmeAccount> {
  const root = settings.acmeCaRoot === null ? undefined : readFileSync(settings.acmeCaRoot, 'utf8');
  const http = acmeHttp(root, signal);
  const directory = directorySchema.parse(checked(await http('GET', settings.acmeDirectory)).json());
  const key = keptKey(file, settings.acmeDirectory);
  const { kty, crv, x, y } = key.export({ format: 'jwk' });
  const nonces: string[] = [];
  const post = async (url: string, payload: object | null, identity: object): Promise<AcmeAnswer> => {
    for (let tries = 1; ; tries += 1) {
      const nonce = nonces.pop() ?? (await freshNonce(http, directory.newNonce));
      const answer = await http('POST', url, signed(key, { alg: 'ES256', nonce, url, ...identity }, payload));
      const next = answer.header('replay-nonce');
      if (next) nonces.push(next);
      if (tries < nonceTriesMax && typeOf(answer) === 'badNonce') continue;
      return checked(answer);
    }
  };
  const contact = settings.acmeEmail === null ? {} : { contact: [`mailto:${settings.acmeEmail}`] };
  const terms = { termsOfServiceAgreed: true, ...contact };
  const account = await post(directory.newAccount, terms, { jwk: { kty, crv, x, y } });
  const kid = account.header('location') ?? '';
  // RFC 7638: the required members in the order of their names.
  const thumbprint = sha256(JSON.stringify({ crv, kty, x, y }));
  return {
    post: (url, payload) => post(url, payload, { kid }),
    newOrderUrl: directory.newOrder,
    keyAuthorization: (token) => `${token}.${thumbprint}`,
  };
}

/** The value of the TXT record that answers a challenge by DNS (section 8.4). */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

function checked(answer: AcmeAnswer): AcmeAnswer {
  if (answer.status < 400) return answer;
  throw new AcmeFailure(failureOf(jsonOf(answer), answer.retryAfterMs));
}

const typeOf = (answer: AcmeAnswer) => (answer.status < 400 ? undefined : problemType(jsonOf(answer)));

function jsonOf(answer: AcmeAnswer): unknown {
  try {
    return answer.json();
  } catch {
    return undefined;
  }
}

async function freshNonce(http: AcmeHttp, url: string): Promise<string> {
  return checked(await http('HEAD', url)).header('replay-nonce') ?? '';
}

/** RFC 7515, flattened JSON; a payload of `null` is the empty text. */
function signed(key: KeyObject, header: object, payload: object | null): string {
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const [head, body] = [encoded(header), payload === null ? '' : encoded(payload)];
  const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' });
  return JSON.stringify({ protected: head, payload: body, signature: signature.toString('base64url') });
}

/** A key belongs to one CA. */
function keptKey(file: string, directory: string): KeyObject {
  try {
    const kept = keptSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    if (kept.directory === directory) return createPrivateKey(kept.key);
  } catch {
    // The file is missing or unreadable: the CA creates a new account.
  }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  replaceFile(file, JSON.stringify({ directory, key }));
  return privateKey;
}
