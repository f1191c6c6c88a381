import fc from 'fast-check';
import { expect, test } from 'vitest';
import { issueWebhookSecret } from '../../../worker/security/standard-webhook.ts';
import { verifyDelivery } from '../../../worker/security/webhook-signature.ts';
import { hmacHex, standardHeaders } from '../../support/servers/git-deliveries.ts';

const secret = issueWebhookSecret((bytes) => crypto.getRandomValues(bytes));
const receivedAt = 1_800_000_000_000;

/** Each scheme with all that it covers in one text: what of it is the body, and which headers are made of the rest. */
const schemes: Record<string, (body: string) => Promise<Record<string, string>>> = {
  'X-Hub-Signature-256': async (body) => ({ 'x-hub-signature-256': `sha256=${await hmacHex(secret, body)}` }),
  'X-Hub-Signature': async (body) => ({ 'x-hub-signature': `sha256=${await hmacHex(secret, body)}` }),
  'X-Gitea-Signature': async (body) => ({ 'x-gitea-signature': await hmacHex(secret, body) }),
  'X-Forgejo-Signature': async (body) => ({ 'x-forgejo-signature': await hmacHex(secret, body) }),
  'webhook-signature': (body) => standardHeaders(secret, body, { at: receivedAt }),
};

const utf8 = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
const isAccepted = (
  headers: Record<string, string>,
  body: Uint8Array<ArrayBuffer>,
  by: string | null = secret,
) => verifyDelivery(by, { headers: new Headers(headers), body, receivedAt });

/** @param at counted in bits, from the first; modulo the length */
function flipped(bytes: Uint8Array<ArrayBuffer>, at: number): Uint8Array<ArrayBuffer> {
  const copy = bytes.slice();
  const bit = at % (copy.length * 8);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

/** What a header may hold: RFC 9110, section 5.5; ASCII is enough here. White space at its ends is no part of it. */
const isHeaderValue = (text: string) => /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text);

test.each(Object.entries(schemes))(
  '%s accepts no change of the body or of the signature',
  async (_, sign) => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1 }), fc.nat(), fc.nat(), async (text, bit, headerBit) => {
        const headers = await sign(text);
        expect(await isAccepted(headers, utf8(text))).toBe(true);
        expect(await isAccepted(headers, flipped(utf8(text), bit))).toBe(false);
        for (const [name, value] of Object.entries(headers)) {
          const other = String.fromCharCode(...flipped(utf8(value), headerBit));
          if (isHeaderValue(other))
            expect(await isAccepted({ ...headers, [name]: other }, utf8(text))).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  },
);

test.each(Object.entries(schemes))('%s accepts no flipped bit, one after the other', async (_, sign) => {
  const body = utf8('{"ref":"refs/heads/main"}');
  const headers = await sign('{"ref":"refs/heads/main"}');
  for (let bit = 0; bit < body.length * 8; bit++)
    expect(await isAccepted(headers, flipped(body, bit))).toBe(false);
  for (const [name, value] of Object.entries(headers)) {
    for (let bit = 0; bit < value.length * 8; bit++) {
      const other = String.fromCharCode(...flipped(utf8(value), bit));
      if (isHeaderValue(other)) expect(await isAccepted({ ...headers, [name]: other }, body)).toBe(false);
    }
  }
});

test('another secret, no secret and no signature are refused; nor does SHA-1', async () => {
  const body = '{}';
  const other = issueWebhookSecret((bytes) => crypto.getRandomValues(bytes));
  for (const sign of Object.values(schemes)) {
    expect(await isAccepted(await sign(body), utf8(body), other)).toBe(false);
    expect(await isAccepted(await sign(body), utf8(body), null)).toBe(false);
  }
  expect(await isAccepted({}, utf8(body))).toBe(false);
  expect(
    await isAccepted({ 'x-hub-signature': `sha1=${await hmacHex(secret, body, 'SHA-1')}` }, utf8(body)),
  ).toBe(false);
});

test("a service without a secret accepts neither the placeholder secret nor GitLab's token", async () => {
  const stand = `whsec_${'A'.repeat(43)}`;
  const hub = { 'x-hub-signature-256': `sha256=${await hmacHex(stand, '{}')}` };
  expect(await isAccepted(hub, utf8('{}'), null)).toBe(false);
  expect(await isAccepted({ 'x-gitlab-token': stand }, utf8('{}'), null)).toBe(false);
  expect(await isAccepted({ 'x-gitlab-token': secret }, utf8('{}'))).toBe(true);
  expect(await isAccepted({ 'x-gitlab-token': secret.slice(0, -1) }, utf8('{}'))).toBe(false);
});

test('the first signature decides: a wrong signature is not made good by a right token', async () => {
  const headers = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}`, 'x-gitlab-token': secret };
  expect(await isAccepted(headers, utf8('{}'))).toBe(false);
});

test('one of several signatures by the specification is enough', async () => {
  const { 'webhook-signature': right = '', ...rest } = await standardHeaders(secret, '{}', {
    at: receivedAt,
  });
  const both = { ...rest, 'webhook-signature': `v1,${btoa('x'.repeat(32))} ${right} v1a,abc` };
  expect(await isAccepted(both, utf8('{}'))).toBe(true);
});

// The example of GitHub's page "Validating webhook deliveries".
test("GitHub's own example holds", async () => {
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
  const headers = { 'x-hub-signature-256': signature };
  expect(await isAccepted(headers, utf8('Hello, World!'), "It's a Secret to Everybody")).toBe(true);
});
