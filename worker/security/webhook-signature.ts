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
/** Used for a service without a secret, so that it takes as long as a wrong signature. */
const dummySecret = webhookSecretPrefix + 'A'.repeat(43);

type Proof = (presented: string, secret: string, request: SignedRequest) => Promise<boolean>;

/** By header; the first one in a request decides. GitHub's older `X-Hub-Signature: sha1=` is not accepted. */
const proofs: readonly (readonly [header: string, Proof])[] = [
  ['webhook-signature', provesStandard],
  ['x-hub-signature-256', provesPrefixed],
  ['x-forgejo-signature', provesHex],
  ['x-gitea-signature', provesHex],
  ['x-hub-signature', provesPrefixed],
  ['x-gitlab-token', async (presented, secret) => sameText(presented, secret)],
];

/** Compares in constant time. @param secret null if there is none: the result is false, after the same work */
export async function provesDelivery(secret: string | null, request: SignedRequest): Promise<boolean> {
  for (const [header, proves] of proofs) {
    const presented = request.headers.get(header);
    if (presented !== null) {
      const proven = await proves(presented, secret ?? dummySecret, request);
      return proven && secret !== null;
    }
  }
  return false;
}

async function provesHex(presented: string, secret: string, { body }: SignedRequest): Promise<boolean> {
  const mac = await hmacSha256(utf8(secret), body);
  return sameText(presented, Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join(''));
}

async function provesPrefixed(presented: string, secret: string, request: SignedRequest): Promise<boolean> {
  const prefix = 'sha256=';
  return presented.startsWith(prefix) && provesHex(presented.slice(prefix.length), secret, request);
}

/** The header can contain several signatures, of which one must match: a host that rotates its secret signs with both. */
async function provesStandard(presented: string, secret: string, request: SignedRequest): Promise<boolean> {
  const { headers, body, receivedAt } = request;
  const timestamp = headers.get('webhook-timestamp') ?? '';
  const isNow =
    /^\d{1,12}$/.test(timestamp) && Math.abs(receivedAt - Number(timestamp) * 1000) <= toleranceMs;
  const id = headers.get('webhook-id') ?? '';
  const expected = await standardSignature(secret, { id, timestamp, body });
  const matching = presented.split(' ').filter((one) => sameText(one, expected));
  return isNow && matching.length > 0;
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}
