import { type EventFacts, testEventType } from '../../domain/alerts/events.ts';
import {
  channelConfigSchema,
  checkedDelivery,
  requestOf,
} from '../../domain/alerts/notifications/channel-fields.ts';
import type { MailDelivery } from '../../domain/alerts/notifications/channel-kind.ts';
import { addressOf } from '../../domain/alerts/notifications/mail-text.ts';
import { messageOf } from '../../domain/alerts/notifications/message.ts';
import { ApiError } from '../../domain/errors.ts';
import type { Settings } from '../../domain/instance/settings.ts';
import { allowsPrivateFor } from '../../domain/names/webhook-url.ts';
import { MailFailure } from '../../gateways/smtp/smtp-answers.ts';
import { channelConfigPlace } from '../../security/secret-places.ts';
import type { ChannelRow } from '../../store/alerts/notification-channel-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openInstanceSecret } from '../seal-instance-secret.ts';
import { type Delivery, post } from './send-event.ts';

type Needs = Pick<Dependencies, 'envelope' | 'webhookPosts' | 'mails'>;

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
    const allowsPrivate = allowsPrivateFor(tenantId, settings);
    const delivery = checkedDelivery(requestOf(config, messageOf(event)), kind, allowsPrivate);
    if ('server' in delivery) return await sendMail(deps, delivery, event, { channelId: id, allowsPrivate });
    const { url, headers, body } = delivery;
    const bytes = new TextEncoder().encode(body) as Uint8Array<ArrayBuffer>;
    return await post(deps, url, headers, bytes, allowsPrivate);
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, status: null, detail: error.message };
    throw error;
  }
}

/** The id of a mail is derived from its event and channel, so a repeated mail is recognised as the same. */
async function sendMail(
  { mails }: Pick<Dependencies, 'mails'>,
  { server, mail }: MailDelivery,
  event: EventFacts,
  { channelId, allowsPrivate }: { channelId: string; allowsPrivate: boolean },
): Promise<Delivery> {
  const domain = addressOf(mail.from).split('@').at(-1);
  const messageId = `${event.id}.${channelId}@${domain}`;
  try {
    const sent = { ...mail, messageId, date: event.createdAt };
    const { code, detail, refused } = await mails.send(server, sent, allowsPrivate);
    return { ok: true, status: code, detail, ...(refused.length > 0 && { note: detail }) };
  } catch (error) {
    if (error instanceof MailFailure) return { ok: false, status: error.code, detail: error.message };
    throw error;
  }
}

/** Sends a test message now. It is not stored or retried. */
export async function sendTestNotification(
  deps: Needs & Pick<Dependencies, 'now' | 'newId'>,
  channel: ChannelRow,
  settings: Pick<Settings, 'allowPrivateEventWebhook'>,
): Promise<Omit<Delivery, 'note'> & { durationMs: number }> {
  const createdAt = deps.now();
  const none = {
    ...{ projectId: null, projectName: null, serviceId: null, serviceName: null },
    ...{ resourceId: null, trigger: null, startedBy: null, error: null },
  };
  const { tenantId } = channel;
  const event = { id: deps.newId('event'), type: testEventType, createdAt, tenantId, ...none } as const;
  const { ok, status, detail } = await sendNotification(deps, channel, event, settings);
  return { ok, status, detail, durationMs: deps.now() - createdAt };
}
