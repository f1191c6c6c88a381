/** What a notification channel got, and what waits for it. */
import { z } from 'zod';
import { eventTypes, summaryOf } from '../../domain/events/events.ts';
import { notificationChannelResource } from '../../http/notification-channel-resource.ts';
import { integerParameter } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import { selectNotificationsOf } from '../../store/events/notification-store.ts';
import { deliveryOf, deliveryStates } from '../present/delivery.ts';

const notificationSchema = z.strictObject({
  eventId: z.string(),
  type: z.enum(eventTypes),
  summary: z.string(),
  delivery: z.enum(deliveryStates),
  attempts: z.int(),
  nextAttemptAt: timestampSchema.nullable(),
  lastFailure: z.string().nullable(),
  deliveredAt: timestampSchema.nullable(),
  createdAt: timestampSchema,
});

const list = defineRoute({
  method: 'GET',
  path: '/api/notification-channels/:channelId/notifications',
  access: 'read',
  summary:
    'List what a notification channel was sent in the last 30 days, newest first, and what waits for it.',
  resource: notificationChannelResource,
  query: z.strictObject({ limit: integerParameter(1, 1000).default(100) }),
  reply: z.strictObject({ notifications: z.array(notificationSchema) }),
  async handle({ deps, resource, query }) {
    const rows = await selectNotificationsOf(deps.db, resource.channel.id, query.limit);
    return {
      notifications: rows.map(({ notification, event }) => ({
        eventId: event.id,
        type: event.type,
        summary: summaryOf(event),
        delivery: deliveryOf(notification),
        attempts: notification.attempts,
        nextAttemptAt: timestampOrNull(notification.nextAttemptAt),
        lastFailure: notification.lastFailure,
        deliveredAt: timestampOrNull(notification.deliveredAt),
        createdAt: timestamp(notification.createdAt),
      })),
    };
  },
});

export const notificationRoutes: AnyRoute[] = [list];
