/**
 * Signatures of the Standard Webhooks specification, for incoming and outgoing webhooks:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { fromBase64Url } from './base64url.ts';

const secretBytes = 32;
export const webhookSecretPrefix = 'whsec_';
/** 24 to 64 bytes, as the specification requires. */
const secretPattern = /^whsec_(?=(?:.{4})+$)[A-Za-z0-9+/]{32,86}={0,2}$/;

/** A new secret. Most git hosts accept any text, but GitLab's signing token must have this format. */
export function issueWebhookSecret(fillRandom: (bytes: Uint8Array<ArrayBuffer>) => void): string {
  const bytes = new Uint8Array(secretBytes);
  fillRandom(bytes);
  return webhookSecretPrefix + toBase64(bytes);
}

export const isWebhookSecret = (text: string): boolean => secretPattern.test(text);

/** The signed data: id and time of the attempt (seconds since the epoch), and the exact body. */
export interface SignedParts {
  id: string;
  timestamp: string;
  body: Uint8Array<ArrayBuffer>;
}

/** @returns one signature in the format of `webhook-signature`: `v1,` and an HMAC-SHA-256 in base64 */
export async function standardSignature(
  secret: string,
  { id, timestamp, body }: SignedParts,
): Promise<string> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.byteLength + body.byteLength);
  signed.set(head);
  signed.set(body, head.byteLength);
  return `v1,${toBase64(await hmacSha256(keyOf(secret), signed))}`;
}

export async function hmacSha256(
  key: Uint8Array<ArrayBuffer>,
  text: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, text));
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const text = secret.slice(webhookSecretPrefix.length).replaceAll('+', '-').replaceAll('/', '_');
  return fromBase64Url(text.replace(/=+$/, ''));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
