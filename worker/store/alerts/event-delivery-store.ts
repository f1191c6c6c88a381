/** The outbox of the event webhook, which cron empties. A claim also sets the time of the next attempt, so a run that dies is retried. */

import { and, eq, isNull, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { type SettingRow, selectSettings } from '../instance/settings-store.ts';
import { events } from '../schema/events.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';
import { retryWait } from '../sql/retry-wait.ts';
import { eventCause } from './event-cause.ts';
import { insertAudit } from './event-store.ts';

export type EventRow = typeof events.$inferSelect;

export interface DeliveryEnd {
  event: EventRow;
  at: number;
  /** `null` if it was delivered. */
  failure: string | null;
  /** Id of the audit entry that is written if there will be no further attempt. */
  givenUpAs: string | null;
}

/** Claims for one run the events that have waited longest and are the first of their cause, and reads the settings at that time. */
export async function claimEvents(
  db: Database,
  { now, limit }: { now: number; limit: number },
): Promise<{ events: EventRow[]; settings: SettingRow[] }> {
  const due = sql`(select id from (
      select id, next_attempt_at, row_number() over (partition by ${eventCause} order by events.rowid) as turn
      from events where next_attempt_at is not null)
    where turn = 1 and next_attempt_at <= ${now} order by next_attempt_at limit ${limit})`;
  const [claimed, settings] = await db.batch([
    db
      .update(events)
      .set({ attempts: sql`attempts + 1`, nextAttemptAt: sql`${now} + ${retryWait}` })
      .where(sql`id in ${due}`)
      .returning(),
    selectSettings(db),
  ]);
  return { events: claimed, settings };
}

/** Writes the results of attempts in one batch. */
export async function endDeliveries(db: Database, ends: readonly DeliveryEnd[]): Promise<void> {
  const [first, ...others] = ends.flatMap((end) => statementsOf(db, end));
  if (first) await db.batch([first, ...others]);
}

function statementsOf(db: Database, { event, at, failure, givenUpAs }: DeliveryEnd): BatchItem<'sqlite'>[] {
  const isOpen = and(eq(events.id, event.id), isNull(events.deliveredAt));
  const end = (values: Partial<EventRow>) => db.update(events).set(values).where(isOpen);
  if (failure === null) return [end({ deliveredAt: at, nextAttemptAt: null, lastFailure: null })];
  if (givenUpAs === null) return [end({ lastFailure: failure })];
  return [
    insertAudit(
      db,
      { id: givenUpAs, route: `event.undelivered ${event.type}`, status: 504, at },
      sql`select tenant_id, id as resource_id from events where ${isOpen}`,
    ),
    end({ nextAttemptAt: null, lastFailure: failure }),
  ];
}

/** Stored events, newest first. */
export function selectEvents(db: Database, page: Page) {
  const { after, orderBy, limit } = keysetOf({ at: events.createdAt, key: events.id }, 'newest', page);
  return db
    .select()
    .from(events)
    .where(after)
    .orderBy(...orderBy)
    .limit(limit);
}

/** @param limit rows per run */
export function pruneEvents(db: Database, before: number, limit: number) {
  return db.run(sql`delete from events where rowid in
    (select rowid from events where created_at < ${before} order by created_at limit ${limit})`);
}
