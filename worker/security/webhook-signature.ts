/**
 * Verifies that a delivery comes from the git host. All methods use one secret per webhook:
 * - HMAC-SHA-256 of the body, hex: GitHub (https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries), Gitea
 *   and Forgejo (https://forgejo.org/docs/latest/user/webhooks), Bitbucket
 *   (https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks);
 * - HMAC-SHA-256 of id, time and body, base64: GitLab's signing token, by https://www.standardwebhooks.com;
 * - the secret itself: GitLab's secret token (https://docs.gitlab.com/user/project/integrations/webhooks).
 */
import { sameText } from './api-token.ts';
import { hmacSha256, standardSignature, webhookSecretPrefix } from './standard-webhook.ts';

export interface SignedRequest {
  headers: Headers;
  /** The exact body. */
  body: Uint8Array<ArrayBuffer>;
  /** Epoch milliseconds of its arrival. */
  receivedAt: number;
}

/** Maximum clock difference of signed times, against replays. The same value as in the specification's libraries. */
const toleranceMs = 5 * 60_000;
/** Used for a service without a secret, so that the check takes as long as for a wrong signature. */
const dummySecret = webhookSecretPrefix + 'A'.repeat(43);
const deliveryIdPattern = /^[\x21-\x7e]{1,128}$/;

interface SignatureScheme {
  header: string;
  verify(presented: string, secret: string, request: SignedRequest): Promise<boolean>;
  /** The delivery's id, by which a repeat is recognised: never a header that the signature does not cover. */
  id(request: Pick<SignedRequest, 'headers' | 'body'>): Promise<string | null>;
}

/** Schemes by header; the first of them in a request decides. GitHub's older `X-Hub-Signature: sha1=` is not accepted. */
const schemes: readonly SignatureScheme[] = [
  {
    header: 'webhook-signature',
    verify: verifyStandard,
    id: async ({ headers }) => headers.get('webhook-id'),
  },
  { header: 'x-hub-signature-256', verify: verifyPrefixed, id: contentId },
  { header: 'x-forgejo-signature', verify: verifyHex, id: contentId },
  { header: 'x-gitea-signature', verify: verifyHex, id: contentId },
  { header: 'x-hub-signature', verify: verifyPrefixed, id: contentId },
  {
    header: 'x-gitlab-token',
    verify: async (presented, secret) => sameText(presented, secret),
    // The token signs nothing: anybody who sees a delivery knows the secret. So GitLab's own id is as good as any other; older versions send none.
    id: async ({ headers }) => headers.get('idempotency-key'),
  },
];

/** Whether a delivery has a signature of any kind. */
export const isSignedDelivery = (headers: Headers): boolean => schemeOf(headers).scheme !== undefined;

/** Compares in constant time. @param secret null if there is none: the result is false, after the same amount of work */
export async function verifyDelivery(secret: string | null, request: SignedRequest): Promise<boolean> {
  const { scheme, presented } = schemeOf(request.headers);
  const isValid = await scheme?.verify(presented, secret ?? dummySecret, request);
  return isValid === true && secret !== null;
}

/**
 * The id of a verified delivery: the same for its repeats from any sender, and only for them.
 * @returns null if the git host sends no id
 */
export async function deliveryIdOf(request: Pick<SignedRequest, 'headers' | 'body'>): Promise<string | null> {
  const id = (await schemeOf(request.headers).scheme?.id(request)) ?? '';
  return deliveryIdPattern.test(id) ? id : null;
}

function schemeOf(headers: Headers): { scheme: SignatureScheme | undefined; presented: string } {
  const scheme = schemes.find(({ header }) => headers.has(header));
  return { scheme, presented: (scheme && headers.get(scheme.header)) ?? '' };
}

/** The delivery ids of GitHub, Gitea, Forgejo and Bitbucket are unsigned headers; only the body is signed. */
async function contentId({ body }: Pick<SignedRequest, 'body'>): Promise<string> {
  return `sha256:${hex(new Uint8Array(await crypto.subtle.digest('SHA-256', body)))}`;
}

async function verifyHex(presented: string, secret: string, { body }: SignedRequest): Promise<boolean> {
  const mac = await hmacSha256(utf8(secret), body);
  return sameText(presented, hex(mac));
}

async function verifyPrefixed(presented: string, secret: string, request: SignedRequest): Promise<boolean> {
  const prefix = 'sha256=';
  return presented.startsWith(prefix) && verifyHex(presented.slice(prefix.length), secret, request);
}

/** The header can contain several signatures, of which one must match: a git host that rotates its secret signs with both. */
async function verifyStandard(presented: string, secret: string, request: SignedRequest): Promise<boolean> {
  const { headers, body, receivedAt } = request;
  const timestamp = headers.get('webhook-timestamp') ?? '';
  const isNow =
    /^\d{1,12}$/.test(timestamp) && Math.abs(receivedAt - Number(timestamp) * 1000) <= toleranceMs;
  const id = headers.get('webhook-id') ?? '';
  const expected = await standardSignature(secret, { id, timestamp, body });
  const matching = presented.split(' ').filter((one) => sameText(one, expected));
  return isNow && matching.length > 0;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}
