import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import {
  issueWebhookSecret,
  isWebhookSecret,
  standardSignature,
} from '../../../worker/security/standard-webhook.ts';

const utf8 = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
const newSecret = () => issueWebhookSecret((bytes) => crypto.getRandomValues(bytes));

test("the specification's own library takes what is signed here, and refuses any other text", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.uuid(), async (text, id) => {
      const secret = newSecret();
      const timestamp = String(Math.floor(Date.now() / 1000));
      const body = JSON.stringify({ text });
      const signature = await standardSignature(secret, { id, timestamp, body: utf8(body) });
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      expect(new Webhook(secret).verify(body, headers)).toEqual({ text });
      expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
      expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow();
      expect(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': `${id}x` })).toThrow();
    }),
  );
});

test('a secret has 24 to 64 bytes in base64 behind its prefix', () => {
  expect(isWebhookSecret(newSecret())).toBe(true);
  for (let length = 0; length < 100; length++) {
    const text = `whsec_${btoa('x'.repeat(length))}`;
    expect([length, isWebhookSecret(text)]).toEqual([length, length >= 24 && length <= 64]);
  }
  const base64 = btoa('x'.repeat(32));
  for (const text of [
    base64,
    `whsec_${base64}\n`,
    `whsec_ ${base64}`,
    `whsec_${base64}=`,
    `WHSEC_${base64}`,
  ]) {
    expect([text, isWebhookSecret(text)]).toEqual([text, false]);
  }
});
