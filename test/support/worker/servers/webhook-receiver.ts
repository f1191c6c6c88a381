/** The real receiver of webhooks (test/support/webhook-receiver), used from workerd. */
import { Webhook } from 'standardwebhooks';
import { inject } from 'vitest';
import { type Client, type Json, operatorToken } from '../api.ts';

declare module 'vitest' {
  interface ProvidedContext {
    webhookReceiver: string;
  }
}

let count = 0;

/** A unique address of the receiver. @param behaviour the start of the path, which decides its answer */
export const receiverUrl = (behaviour = 'taken') =>
  `${inject('webhookReceiver')}/${behaviour}/${Date.now()}-${++count}`;

/** The requests to this address, in order. */
export async function receivedAt(url: string): Promise<{ headers: Record<string, string>; body: string }[]> {
  const { origin, pathname } = new URL(url);
  return (await fetch(`${origin}/received?path=${pathname}`)).json();
}

/** Sets the event webhook and returns its new secret. */
export async function setEventWebhook(call: Client, url: string): Promise<string> {
  const change = (body: Json) => call('PATCH', '/api/system/settings', { token: operatorToken, body });
  await change({ allowPrivateEventWebhook: true, eventWebhook: null });
  return (await change({ eventWebhook: { url } })).body.eventWebhookSecret;
}

/** The event in a delivery, parsed by the specification's own library. @throws WebhookVerificationError */
export const verified = (secret: string, { body, headers }: { body: string; headers: Json }): Json =>
  new Webhook(secret).verify(body, headers);
