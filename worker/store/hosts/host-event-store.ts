/** Events about hosts, apart from their alerts. */
import { and, gte, sql } from 'drizzle-orm';
import { copiedSentence } from '../../domain/hosts/host-warning.ts';
import { raiseHostEvent } from '../alerts/event-store.ts';
import { auditLog } from '../schema/audit.ts';
import type { Database } from '../sql/database.ts';

/** An event about a host. */
export interface HostEvent {
  runnerId: string;
  eventId: string;
  at: number;
}

/** The event for a host whose new facts begin or end a trouble. Must run before the facts are stored. */
export function raiseTroubleEvent(
  db: Database,
  { runnerId, eventId, at, trouble = null }: HostEvent & { trouble: string | null | undefined },
) {
  const known = sql`runners.id = ${runnerId} and runners.revoked_at is null and runners.facts ->> 'trouble'`;
  const event = { id: eventId, resourceId: runnerId, trigger: null, error: trouble, at };
  return trouble === null
    ? raiseHostEvent(
        db,
        { ...event, type: 'host.works', audit: { status: 200 } },
        sql`${known} is not null`,
        'tenants',
      )
    : raiseHostEvent(
        db,
        { ...event, type: 'host.trouble', audit: { status: 503 } },
        sql`${known} is null`,
        'tenants',
      );
}

/** The event for a host with two running processes for one key: they are on two machines, because one data directory has only one process. */
export async function raiseCopied(db: Database, { runnerId, eventId, at }: HostEvent): Promise<void> {
  const event = { id: eventId, resourceId: runnerId, trigger: null, error: copiedSentence, at };
  const holds = sql`runners.id = ${runnerId} and runners.revoked_at is null`;
  await db.batch(raiseHostEvent(db, { ...event, type: 'host.copied', audit: { status: 409 } }, holds));
}

/** Ids of hosts with this event. */
export const selectCopied = (db: Database, since: number) =>
  db
    .selectDistinct({ id: auditLog.resourceId })
    .from(auditLog)
    .where(and(sql`route = 'host.copied'`, gte(auditLog.createdAt, since))); // as text, so that the index of these rows is used
