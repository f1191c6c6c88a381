import { type EventFacts, eventBody, testEventType } from '../../domain/alerts/events.ts';
import type { EventWebhook } from '../../domain/instance/event-webhook.ts';
import { WebhookFailure } from '../../gateways/webhook-posts.ts';
import { standardSignature } from '../../security/standard-webhook.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'webhookPosts' | 'now'>;

/** The receiver's response. */
export interface Delivery {
  ok: boolean;
  /** `null` without a response. */
  status: number | null;
  detail: string;
  /** The wait that the receiver requests before the next request. */
  waitMs?: number | null;
  /** The beginning of the receiver's refusal. */
  words?: string;
  /** The reason for an incomplete delivery that the receiver accepted. */
  note?: string;
}

/** Sends an event, signed with the current time. Never throws for a failure of the receiver. */
export async function sendEvent(
  { webhookPosts, now }: Needs,
  { url, secret, allowsPrivate }: EventWebhook,
  event: EventFacts,
): Promise<Delivery> {
  const body = new TextEncoder().encode(eventBody(event)) as Uint8Array<ArrayBuffer>;
  const timestamp = String(Math.floor(now() / 1000));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Longshore',
    'webhook-id': event.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': await standardSignature(secret, { id: event.id, timestamp, body }),
  };
  return post({ webhookPosts }, url, headers, body, allowsPrivate);
}

/** A POST to a receiver. Never throws for the receiver's failure. */
export async function post(
  { webhookPosts }: Pick<Dependencies, 'webhookPosts'>,
  ...request: Parameters<Dependencies['webhookPosts']['post']>
): Promise<Delivery> {
  try {
    const { status, waitMs, words } = await webhookPosts.post(...request);
    return { ...deliveryOf(status), waitMs, words };
  } catch (error) {
    if (error instanceof WebhookFailure) return { ok: false, status: null, detail: error.message };
    throw error;
  }
}

/** Sends a test event, which shows whether the receiver accepts the signature. It is not stored or retried. */
export async function sendTestEvent(
  deps: Needs & Pick<Dependencies, 'newId'>,
  webhook: EventWebhook,
): Promise<Pick<Delivery, 'ok' | 'status' | 'detail'> & { durationMs: number }> {
  const createdAt = deps.now();
  const { ok, status, detail } = await sendEvent(deps, webhook, {
    id: deps.newId('event'),
    type: testEventType,
    createdAt,
    tenantId: null,
    projectId: null,
    projectName: null,
    serviceId: null,
    serviceName: null,
    resourceId: null,
    trigger: null,
    startedBy: null,
    error: null,
  });
  return { ok, status, detail, durationMs: deps.now() - createdAt };
}

function deliveryOf(status: number): Delivery {
  if (status >= 200 && status < 300)
    return { ok: true, status, detail: `The receiver accepted the event (HTTP ${status}).` };
  const detail =
    status >= 300 && status < 400
      ? `The receiver answered with a redirect (HTTP ${status}), and redirects are not followed.`
      : `The receiver answered with HTTP ${status}.`;
  return { ok: false, status, detail };
}
