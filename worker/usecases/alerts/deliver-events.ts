import { giveUpAfterMs } from '../../domain/alerts/events.ts';
import { ApiError } from '../../domain/errors.ts';
import type { EventWebhook } from '../../domain/instance/event-webhook.ts';
import {
  claimEvents,
  type DeliveryEnd,
  type EventRow,
  endDeliveries,
} from '../../store/alerts/event-delivery-store.ts';
import type { SettingRow } from '../../store/instance/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openEventWebhook } from '../instance/event-webhook.ts';
import { repeatPass } from '../repeat-pass.ts';
import { sendEvent } from './send-event.ts';

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'webhookPosts' | 'newId' | 'now'>;

/** Requests to the receiver per run. */
const deliveriesPerRun = 25;
/** Events of one cause are sent one after another, each in a separate pass. */
const deliveriesPerPass = 5;

/**
 * Sends the due events concurrently, at least once each: if the Worker dies between the response and its row, the event is sent again with
 * the same id. A failed delivery is retried with growing delays; after a day, only the audit log records it.
 * @returns number of attempted deliveries
 */
export async function deliverEvents(deps: Needs): Promise<number> {
  let attempted = 0;
  await repeatPass(deps, deliveriesPerRun, async () => {
    const inPass = await deliverSome(deps, Math.min(deliveriesPerPass, deliveriesPerRun - attempted));
    attempted += inPass;
    return inPass > 0 && attempted < deliveriesPerRun;
  });
  return attempted;
}

async function deliverSome(deps: Needs, limit: number): Promise<number> {
  const now = deps.now();
  const { events, settings } = await claimEvents(deps.db, { now, limit });
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

/** @returns the webhook, or the reason why nothing can be sent */
async function openWebhook(deps: Needs, settings: readonly SettingRow[]): Promise<EventWebhook | string> {
  try {
    return (await openEventWebhook(deps, settings)) ?? 'No event webhook is set.';
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}
