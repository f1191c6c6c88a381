/** Messages that a notification channel received or will receive. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { eventTypes, summaryOf } from '../../domain/alerts/events.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { notificationChannelResource } from '../../http/loaders/tenant-loaders.ts';
import { integerParameter } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import { selectNotificationsOf } from '../../store/alerts/notification-store.ts';
import { deliveryOf, deliveryStates } from '../present/delivery.ts';

const notificationSchema = z.strictObject({
  eventId: z.string().meta(note('The event.', 'evt_7u6y5t4r3e2w1q0p')),
  type: z.enum(eventTypes).meta(notes.eventType),
  summary: z.string().meta(notes.summary),
  delivery: z.enum(deliveryStates).meta(notes.delivery),
  attempts: z.int().meta(notes.attempts),
  nextAttemptAt: timestampSchema.nullable().meta(notes.nextAttemptAt),
  lastFailure: z.string().nullable().describe('The newest failure; null if there is none.'),
  deliveredAt: timestampSchema.nullable().meta(notes.deliveredAt),
  createdAt: timestampSchema.meta(notes.createdAt),
});

const list = defineRoute({
  method: 'GET',
  path: '/api/notification-channels/:channelId/notifications',
  access: 'read',
  summary:
    'List what a notification channel was sent in the last 30 days, newest first, and what waits for it.',
  resource: notificationChannelResource,
  query: z.strictObject({ limit: integerParameter(1, 1000).default(100) }),
  reply: z.strictObject({
    notifications: z.array(notificationSchema).describe('The notifications, newest first.'),
  }),
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
