/** The instance's events and their delivery to the event webhook, for the operator. */
import { z } from 'zod';
import { ApiError } from '../domain/errors.ts';
import { eventTypes, summaryOf } from '../domain/events/events.ts';
import { nextCursor, pageByCreation, pageQuery } from '../http/paging.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../http/timestamps.ts';
import { type EventRow, selectEvents } from '../store/events/event-delivery-store.ts';
import { selectSettings } from '../store/instance/settings-store.ts';
import { openEventWebhook } from '../usecases/instance/event-webhook.ts';
import { sendTestEvent } from '../usecases/instance/send-event.ts';
import { deliveryOf, deliveryStates } from './present/delivery.ts';

const eventSchema = z.strictObject({
  id: z.string(),
  type: z.enum(eventTypes),
  createdAt: timestampSchema,
  tenantId: z.string(),
  /** Null if the event is about a host. */
  projectId: z.string().nullable(),
  /** Null if the event is about a project or a host. */
  serviceId: z.string().nullable(),
  /** The failed backup, restore or import; the backup that a drill could not verify; what was deleted, restored or purged; the host; otherwise the service. */
  resourceId: z.string(),
  trigger: z.string().nullable(),
  summary: z.string(),
  error: z.string().nullable(),
  delivery: z.enum(deliveryStates),
  attempts: z.int(),
  nextAttemptAt: timestampSchema.nullable(),
  /** Why the last attempt failed. */
  lastFailure: z.string().nullable(),
  deliveredAt: timestampSchema.nullable(),
});

const list = defineRoute({
  method: 'GET',
  path: '/api/system/events',
  access: 'operator',
  summary: 'List recent events for the event webhook, newest first, with the state of their delivery.',
  query: pageQuery(1_000, 100),
  reply: z.strictObject({ events: z.array(eventSchema), ...nextCursor }),
  async handle({ deps, query }) {
    const { rows, next } = pageByCreation(await selectEvents(deps.db, query), query);
    return { events: rows.map(present), ...next };
  },
});

const test = defineRoute({
  method: 'POST',
  path: '/api/system/settings/event-webhook/test',
  access: 'operator',
  summary: 'Send a test event to the event webhook now and return the response of the receiver.',
  reply: z.strictObject({
    result: z.strictObject({
      ok: z.boolean(),
      status: z.int().nullable(),
      detail: z.string(),
      durationMs: z.int(),
    }),
  }),
  async handle({ deps }) {
    const webhook = await openEventWebhook(deps, await selectSettings(deps.db));
    if (webhook) return { result: await sendTestEvent(deps, webhook) };
    throw new ApiError(
      'conflict',
      'No event webhook is set: set one with PATCH /api/system/settings and "eventWebhook": {"url": "https://..."}.',
    );
  },
});

export const eventRoutes: AnyRoute[] = [list, test];

function present(row: EventRow): z.infer<typeof eventSchema> {
  const { id, type, tenantId, projectId, resourceId, trigger, error, attempts, lastFailure } = row;
  return {
    id,
    type,
    createdAt: timestamp(row.createdAt),
    tenantId,
    projectId: projectId || null,
    serviceId: row.serviceId || null,
    resourceId,
    trigger,
    summary: summaryOf(row),
    error,
    delivery: deliveryOf(row),
    attempts,
    nextAttemptAt: timestampOrNull(row.nextAttemptAt),
    lastFailure,
    deliveredAt: timestampOrNull(row.deliveredAt),
  };
}
