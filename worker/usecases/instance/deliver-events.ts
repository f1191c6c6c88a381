import { ApiError } from '../../domain/errors.ts';
import type { EventWebhook } from '../../domain/event-webhook.ts';
import { giveUpAfterMs } from '../../domain/events.ts';
import {
  claimEvents,
  type DeliveryEnd,
  type EventRow,
  endDeliveries,
} from '../../store/event-delivery-store.ts';
import type { SettingRow } from '../../store/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openEventWebhook } from './event-webhook.ts';
import { sendEvent } from './send-event.ts';

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'webhookPosts' | 'newId' | 'now'>;

/** A run has 50 subrequests on the free plan, which the other work of the minute shares. */
const deliveriesPerRun = 5;

/**
 * Sends the events that are due, at the same time. At least once: whoever dies between the answer and its row sends again, with the same
 * id. What was not taken is tried again later and later; after a day it is left to the audit log.
 * @returns how many were tried
 */
export async function deliverEvents(deps: Needs): Promise<number> {
  const now = deps.now();
  const { events, settings } = await claimEvents(deps.db, { now, limit: deliveriesPerRun });
  if (events.length === 0) return 0;
  const webhook = await openWebhook(deps, settings);
  const ends = await Promise.all(events.map((event) => deliver(deps, webhook, event)));
  await endDeliveries(deps.db, ends);
  return events.length;
}

async function deliver(deps: Needs, webhook: EventWebhook | string, event: EventRow): Promise<DeliveryEnd> {
  const failure = typeof webhook === 'string' ? webhook : await failureOf(deps, webhook, event);
  const isLast = failure !== null && (event.nextAttemptAt ?? 0) >= event.createdAt + giveUpAfterMs;
  return { event, at: deps.now(), failure, givenUpAs: isLast ? deps.newId('audit') : null };
}

async function failureOf(deps: Needs, webhook: EventWebhook, event: EventRow): Promise<string | null> {
  const { ok, detail } = await sendEvent(deps, webhook, event);
  return ok ? null : detail;
}

/** @returns why nothing can be sent, where that is so */
async function openWebhook(deps: Needs, settings: readonly SettingRow[]): Promise<EventWebhook | string> {
  try {
    return (await openEventWebhook(deps, settings)) ?? 'No event webhook is set.';
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}
