import { endOfQuiet } from '../../domain/alerts/notifications/channel-fields.ts';
import { type Settings, settingsOf } from '../../domain/instance/settings.ts';
import {
  type AttemptEnd,
  type ClaimedNotification,
  claimNotifications,
  endNotifications,
} from '../../store/alerts/notification-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { repeatPass } from '../repeat-pass.ts';
import { sendNotification } from './send-notification.ts';

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'webhookPosts' | 'mails' | 'newId' | 'now'>;

/** Limits a run to 10 requests. Together with 25 of the event webhook and 10 of commit statuses, this is below the 50 of the free plan. */
const sentPerRun = 10;
/** Events of one cause are sent one after another, each in a separate pass. */
const sentPerPass = 5;
/** With the waits of `retryWaitsMs` the last attempt is about a day after the first. Time in quiet hours does not count. */
const attemptsMax = 12;

/**
 * Sends the due notifications, at least once each: if the Worker dies between the receiver's answer and its row, the notification is sent
 * again. A failed one is retried with growing waits; after a day, only the audit log records it.
 * @returns number of claimed notifications
 */
export async function deliverNotifications(deps: Needs): Promise<number> {
  let claimed = 0;
  await repeatPass(deps, sentPerRun, async () => {
    const inPass = await deliverSome(deps, Math.min(sentPerPass, sentPerRun - claimed));
    claimed += inPass;
    return inPass > 0 && claimed < sentPerRun;
  });
  return claimed;
}

async function deliverSome(deps: Needs, limit: number): Promise<number> {
  const { claimed, settings } = await claimNotifications(deps.db, { now: deps.now(), limit });
  const known = settingsOf(settings);
  const ends = claimed.map(async (one) => ({ ...one, end: await deliver(deps, one, known) }));
  await endNotifications(deps.db, await Promise.all(ends));
  return claimed.length;
}

async function deliver(
  deps: Needs,
  { notification, channel, event }: ClaimedNotification,
  settings: Settings,
): Promise<AttemptEnd> {
  const until = channel.quietHours ? endOfQuiet(channel.quietHours, deps.now()) : undefined;
  if (until !== undefined) return { kind: 'postponed', until };
  const { ok, detail: reason, note = null } = await sendNotification(deps, channel, event, settings);
  const at = deps.now();
  if (ok) return { kind: 'delivered', at, note };
  const isLast = notification.attempts >= attemptsMax;
  return isLast ? { kind: 'given-up', reason, at, entryId: deps.newId('audit') } : { kind: 'failed', reason };
}
