/**
 * The token with which a GitHub App identifies itself:
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
 */
import { toBase64Url } from './base64url.ts';

/** GitHub allows ten minutes. */
const lifetimeSeconds = 9 * 60;
/** "To protect against clock drift, we recommend that you set this 60 seconds in the past" (the page above). */
const clockDriftSeconds = 60;
const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };

/**
 * @param appId GitHub's id of the app, `iss`
 * @param privateKey PEM in GitHub's form: PKCS #1, "BEGIN RSA PRIVATE KEY"; PKCS #8 is accepted as well
 * @param now epoch milliseconds
 * @throws Error if the key can't be parsed
 */
export async function githubJwt(appId: string, privateKey: string, now: number): Promise<string> {
  const seconds = Math.floor(now / 1000);
  const claims = { iat: seconds - clockDriftSeconds, exp: seconds + lifetimeSeconds, iss: appId };
  const signed = `${jsonPart({ alg: 'RS256', typ: 'JWT' })}.${jsonPart(claims)}`;
  const key = await crypto.subtle.importKey('pkcs8', pkcs8Of(privateKey), algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign(algorithm, key, utf8(signed));
  return `${signed}.${toBase64Url(new Uint8Array(signature))}`;
}

const utf8 = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
const jsonPart = (value: unknown) => toBase64Url(utf8(JSON.stringify(value)));

/** Web Crypto imports PKCS #8 only (RFC 5208): version 0, the algorithm rsaEncryption, and the PKCS #1 key as an octet string. */
function pkcs8Of(pem: string): Uint8Array<ArrayBuffer> {
  const [, label, body = ''] =
    /-----BEGIN ((?:RSA )?PRIVATE KEY)-----([A-Za-z0-9+/=\s]+)-----END/.exec(pem) ?? [];
  const der = Uint8Array.from(atob(body.replace(/\s+/g, '')), (character) => character.charCodeAt(0));
  if (label === undefined || der.length === 0) throw new Error('The private key is not a PEM file.');
  if (label === 'PRIVATE KEY') return der;
  const version = [0x02, 0x01, 0x00];
  const rsaEncryption = [
    0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
  ];
  const key = element(0x04, der);
  return element(0x30, Uint8Array.from([...version, ...rsaEncryption, ...key]));
}

/** A DER element: tag, length (X.690, 8.1.3: two bytes suffice for any RSA key) and contents. */
function element(tag: number, contents: Uint8Array): Uint8Array<ArrayBuffer> {
  const { length } = contents;
  return Uint8Array.from([tag, 0x82, length >> 8, length & 0xff, ...contents]);
}
