/** The instance's events and their delivery to the event webhook, for the operator. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { eventTypes, summaryOf } from '../../domain/alerts/events.ts';
import { ApiError } from '../../domain/errors.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { nextCursor, pageByCreation, pageQuery } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import { type EventRow, selectEvents } from '../../store/alerts/event-delivery-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import { sendTestEvent } from '../../usecases/alerts/send-event.ts';
import { openEventWebhook } from '../../usecases/instance/event-webhook.ts';
import { deliveryOf, deliveryStates } from '../present/delivery.ts';
import { initiatorSchema } from '../present/present-initiator.ts';

const eventSchema = z.strictObject({
  id: idOf('event'),
  type: z.enum(eventTypes).meta(notes.eventType),
  createdAt: timestampSchema.meta(notes.createdAt),
  tenantId: z.string().meta(notes.tenantId),
  /** `null` for an event about a host. */
  projectId: z.string().nullable().meta(notes.projectId),
  /** `null` for an event about a project or a host. */
  serviceId: z.string().nullable().meta(notes.serviceId),
  /**
   * The failed backup, restore or import; the backup that failed a drill; the deleted, restored or purged resource; the host; otherwise the
   * service.
   */
  resourceId: z.string().meta(notes.resourceId),
  trigger: z.string().nullable().meta(note('What started it.', 'manual')),
  startedBy: initiatorSchema
    .nullable()
    .describe('Who started the job, or deleted or restored the resource; null for other events.'),
  summary: z.string().meta(notes.summary),
  error: z.string().nullable().meta(notes.error),
  delivery: z.enum(deliveryStates).meta(notes.delivery),
  attempts: z.int().meta(notes.attempts),
  nextAttemptAt: timestampSchema.nullable().meta(notes.nextAttemptAt),
  lastFailure: z.string().nullable().describe('Why the last attempt failed.'),
  deliveredAt: timestampSchema.nullable().meta(notes.deliveredAt),
});

const list = defineRoute({
  method: 'GET',
  path: '/api/system/events',
  access: 'operator',
  summary: 'List recent events for the event webhook, newest first, with the state of their delivery.',
  query: pageQuery(1_000, 100),
  reply: z.strictObject({ events: z.array(eventSchema).describe('Events, newest first.'), ...nextCursor }),
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
      ok: z.boolean().describe('Whether it succeeded.'),
      status: z.int().nullable().describe('HTTP status of the answer; null: there was none.'),
      detail: z.string().meta(notes.detail),
      durationMs: z.int().meta(notes.durationMs),
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
  const { id, type, tenantId, projectId, resourceId, trigger, startedBy, error, attempts, lastFailure } = row;
  return {
    id,
    type,
    createdAt: timestamp(row.createdAt),
    tenantId,
    projectId: projectId || null,
    serviceId: row.serviceId || null,
    resourceId,
    trigger,
    startedBy,
    summary: summaryOf(row),
    error,
    delivery: deliveryOf(row),
    attempts,
    nextAttemptAt: timestampOrNull(row.nextAttemptAt),
    lastFailure,
    deliveredAt: timestampOrNull(row.deliveredAt),
  };
}
