import { ApiError } from '../../domain/errors.ts';
import { type EventFacts, testEventType } from '../../domain/events.ts';
import { channelConfigSchema, requestOf } from '../../domain/notifications/channel-fields.ts';
import { messageOf } from '../../domain/notifications/message.ts';
import type { Settings } from '../../domain/settings.ts';
import { allowsPrivateFor, checkedWebhookUrl } from '../../domain/webhook-url.ts';
import { channelConfigPlace } from '../../security/secret-places.ts';
import type { ChannelRow } from '../../store/notification-channel-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { type Delivery, post } from '../instance/send-event.ts';
import { openInstanceSecret } from '../seal-instance-secret.ts';

type Needs = Pick<Dependencies, 'envelope' | 'webhookPosts'>;

/** Sends an event to a channel, in the form of its kind. Never throws for a failure of the receiver or of the stored configuration. */
export async function sendNotification(
  deps: Needs,
  { id, tenantId, name, kind, sealedConfig }: ChannelRow,
  event: EventFacts,
  settings: Pick<Settings, 'allowPrivateEventWebhook'>,
): Promise<Delivery> {
  try {
    const owner = `the notification channel "${name}"`;
    const config = await openInstanceSecret(
      deps,
      channelConfigPlace(id),
      sealedConfig,
      channelConfigSchema,
      owner,
    );
    const { url, headers, body } = requestOf(config, messageOf(event));
    checkedWebhookUrl(url, `${kind}.url`, allowsPrivateFor(tenantId, settings));
    return await post(deps, url, headers, new TextEncoder().encode(body) as Uint8Array<ArrayBuffer>);
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, status: null, detail: error.message };
    throw error;
  }
}

/** Sends a test message now. It is not stored or retried. */
export async function sendTestNotification(
  deps: Needs & Pick<Dependencies, 'now' | 'newId'>,
  channel: ChannelRow,
  settings: Pick<Settings, 'allowPrivateEventWebhook'>,
): Promise<Delivery & { durationMs: number }> {
  const createdAt = deps.now();
  const none = {
    ...{ projectId: null, projectName: null, serviceId: null, serviceName: null },
    ...{ resourceId: null, trigger: null, error: null },
  };
  const { tenantId } = channel;
  const event = { id: deps.newId('event'), type: testEventType, createdAt, tenantId, ...none } as const;
  const delivery = await sendNotification(deps, channel, event, settings);
  return { ...delivery, durationMs: deps.now() - createdAt };
}
