/**
 * The outbox of notification channels, which cron empties. A claim also sets the time of the next attempt, so a run that dies is retried.
 */

import { and, desc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { type SettingRow, selectSettings } from '../instance/settings-store.ts';
import { events, notificationChannels, notifications } from '../schema/events.ts';
import type { Database } from '../sql/database.ts';
import { retryWait } from '../sql/retry-wait.ts';
import { eventCause } from './event-cause.ts';
import type { EventRow } from './event-delivery-store.ts';
import { insertAudit } from './event-store.ts';
import type { ChannelRow } from './notification-channel-store.ts';

export type NotificationRow = typeof notifications.$inferSelect;

/** A notification with its event and its channel. */
export interface ClaimedNotification {
  notification: NotificationRow;
  channel: ChannelRow;
  event: EventRow;
}

/**
 * Claims for one run the notifications that have waited longest and are the first of their cause for a channel, tenants in turn, and reads
 * the settings at that time.
 */
export async function claimNotifications(
  db: Database,
  { now, limit }: { now: number; limit: number },
): Promise<{ claimed: ClaimedNotification[]; settings: SettingRow[] }> {
  const rows = await db
    .update(notifications)
    .set({ attempts: sql`attempts + 1`, nextAttemptAt: sql`${now} + ${retryWait}` })
    .where(sql`rowid in (select place from (
        select place, due, row_number() over (partition by tenant_id order by due) as turn
        from (
          select notifications.rowid as place, notifications.next_attempt_at as due, events.tenant_id,
            row_number() over (partition by channel_id, ${eventCause} order by notifications.rowid) as number
          from notifications join events on events.id = event_id
          where notifications.next_attempt_at is not null)
        where number = 1 and due <= ${now})
      order by turn, due limit ${limit})`)
    .returning();
  if (rows.length === 0) return { claimed: [], settings: [] };
  const idsOf = (ids: string[]) => [...new Set(ids)];
  const [channels, about, settings] = await db.batch([
    db
      .select()
      .from(notificationChannels)
      .where(inArray(notificationChannels.id, idsOf(rows.map(({ channelId }) => channelId)))),
    db
      .select()
      .from(events)
      .where(inArray(events.id, idsOf(rows.map(({ eventId }) => eventId)))),
    selectSettings(db),
  ]);
  const claimed = rows.flatMap((notification) => {
    const channel = channels.find(({ id }) => id === notification.channelId);
    const event = about.find(({ id }) => id === notification.eventId);
    return channel && event ? [{ notification, channel, event }] : []; // deleted since
  });
  return { claimed, settings };
}

export type AttemptEnd =
  /** `note`: why some receivers did not get it. */
  | { kind: 'delivered'; at: number; note: string | null }
  /** Quiet hours of the channel; this does not count as an attempt. */
  | { kind: 'postponed'; until: number }
  | { kind: 'failed'; reason: string }
  /** There will be no further attempt. `entryId`: id of the audit entry. */
  | { kind: 'given-up'; reason: string; at: number; entryId: string };

/** Writes the results of attempts in one batch. */
export async function endNotifications(
  db: Database,
  ends: readonly (ClaimedNotification & { end: AttemptEnd })[],
): Promise<void> {
  const [first, ...others] = ends.flatMap((ended) => statementsOf(db, ended));
  if (first) await db.batch([first, ...others]);
}

function statementsOf(db: Database, { notification, event, end }: ClaimedNotification & { end: AttemptEnd }) {
  const { channelId, eventId } = notification;
  const isOpen = and(
    eq(notifications.channelId, channelId),
    eq(notifications.eventId, eventId),
    isNull(notifications.deliveredAt),
  );
  const set = (values: { [Name in keyof NotificationRow]?: NotificationRow[Name] | SQL }) =>
    db.update(notifications).set(values).where(isOpen);
  switch (end.kind) {
    case 'delivered':
      return [set({ deliveredAt: end.at, nextAttemptAt: null, lastFailure: end.note })];
    case 'postponed':
      return [set({ nextAttemptAt: end.until, attempts: sql`attempts - 1` })];
    case 'failed':
      return [set({ lastFailure: end.reason })];
    case 'given-up':
      return [
        insertAudit(
          db,
          { id: end.entryId, route: `notification.undelivered ${event.type}`, status: 504, at: end.at },
          sql`select ${event.tenantId} as tenant_id, ${channelId} as resource_id from notifications where ${isOpen}`,
        ),
        set({ nextAttemptAt: null, lastFailure: end.reason }),
      ];
  }
}

/** Notifications that a channel received or will receive, newest first. */
export const selectNotificationsOf = (db: Database, channelId: string, limit: number) =>
  db
    .select({ notification: notifications, event: events })
    .from(notifications)
    .innerJoin(events, eq(events.id, notifications.eventId))
    .where(eq(notifications.channelId, channelId))
    .orderBy(desc(notifications.createdAt), desc(notifications.eventId))
    .limit(limit);

/** Keeps only the newest waiting notifications of each channel, so that no channel can fill the common outbox. */
export const dropExcessNotifications = (db: Database, waitingMax: number) =>
  db.run(sql`delete from notifications where rowid in (select place from (
      select rowid as place, row_number() over (partition by channel_id order by created_at desc) as number
      from notifications where next_attempt_at is not null)
    where number > ${waitingMax})`);
