/** Events about hosts that are away or have returned. Each is reported once: `awayReportedAt` remembers it until the host is back. */
import { and, gte, type SQL, sql } from 'drizzle-orm';
import type { EventType } from '../../domain/events/events.ts';
import { copiedSentence } from '../../domain/hosts/host-warning.ts';
import { hasReceiver, hasWebhook } from '../events/event-store.ts';
import { auditLog } from '../schema/audit.ts';
import type { Database } from '../sql/database.ts';
import { hostOwner } from './runner-store.ts';

interface Report {
  now: number;
  /** Hosts that were not connected since then are away. */
  awayBefore: number;
}

/** Raises the events of hosts that are newly away or have returned since they were reported. Safe to run twice, and concurrently. */
export async function reportHosts(db: Database, { now, awayBefore }: Report): Promise<void> {
  const isNewlyAway = sql`runners.connected_at is null and runners.disconnected_at < ${awayBefore}
    and runners.away_reported_at is null and runners.revoked_at is null`;
  const hasReturned = sql`runners.away_reported_at is not null and runners.connected_at is not null`;
  const since = sql`'It has not been connected since ' || strftime('%Y-%m-%d %H:%M', runners.disconnected_at / 1000, 'unixepoch') || ' UTC.'`;
  await db.batch([
    ...raiseHostEvent(db, { type: 'host.away', error: since, now, holds: isNewlyAway }),
    db.run(sql`update runners set away_reported_at = ${now} where ${isNewlyAway}`),
    ...raiseHostEvent(db, { type: 'host.returned', error: sql`null`, now, holds: hasReturned }),
    db.run(sql`update runners set away_reported_at = null where ${hasReturned}`),
  ]);
}

/** The event of a host whose new facts begin or end a trouble. To be run before they are stored. */
export function raiseTroubleEvent(
  db: Database,
  { runnerId, trouble = null, now }: { runnerId: string; trouble: string | null | undefined; now: number },
) {
  const known = sql`runners.id = ${runnerId} and runners.revoked_at is null and runners.facts ->> 'trouble'`;
  return trouble === null
    ? raiseHostEvent(db, { type: 'host.works', error: sql`null`, now, holds: sql`${known} is not null` })
    : raiseHostEvent(db, { type: 'host.trouble', error: sql`${trouble}`, now, holds: sql`${known} is null` });
}

/** The event of a host with whose key two processes are alive at once, which are on two machines: one data directory has one process. */
export async function raiseCopied(db: Database, runnerId: string, now: number): Promise<void> {
  const holds = sql`runners.id = ${runnerId} and runners.revoked_at is null`;
  await db.batch(raiseHostEvent(db, { type: 'host.copied', error: sql`${copiedSentence}`, now, holds }));
}

/** Ids of hosts with this event. */
export const selectCopied = (db: Database, since: number) =>
  db
    .selectDistinct({ id: auditLog.resourceId })
    .from(auditLog)
    .where(and(sql`route = 'host.copied'`, gte(auditLog.createdAt, since))); // as text: so the index of these rows is used

/** For the audit log. */
const hostEventStatus: Partial<Record<EventType, number>> = {
  'host.away': 503,
  'host.upgrade_failed': 500,
  'host.trouble': 503,
  'host.copied': 409,
};

/** Events of which also the tenants hear that have services on the host, besides its owner. */
const forEveryTenant: readonly EventType[] = ['host.away', 'host.returned', 'host.trouble', 'host.works'];

/**
 * One event for each tenant that hears of it, and one for the host's owner, which is the one that the webhook gets. It has the name
 * of the host in place of that of a service.
 */
export function raiseHostEvent(
  db: Database,
  { type, error, now, holds }: { type: EventType; error: SQL; now: number; holds: SQL },
) {
  const about = sql`from (
      select id, name, disconnected_at, ${hostOwner} as owner_id, ${hostOwner} as tenant_id, ${error} as error from runners where ${holds}
      union
      select runners.id, runners.name, disconnected_at, ${hostOwner}, projects.tenant_id, ${error} from runners
        join services on services.runner_id = runners.id join projects on projects.id = services.project_id
        where ${holds} and ${Number(forEveryTenant.includes(type))}
    ) as host`;
  return [
    db.run(sql`insert into events (id, type, tenant_id, project_id, service_id, project_name, service_name, resource_id, error,
        next_attempt_at, created_at)
      select 'evt_' || lower(hex(randomblob(8))), ${type}, tenant_id, '', '', '', name, id, error,
        iif(tenant_id = owner_id and ${hasWebhook}, ${now}, null), ${now}
      ${about} where ${hasReceiver(sql`host.tenant_id`)}`),
    db.run(sql`insert into audit_log (id, tenant_id, actor, route, resource_id, status, request_id, address_hash, created_at)
      select 'aud_' || lower(hex(randomblob(8))), tenant_id, 'system', ${type}, id, ${hostEventStatus[type] ?? 200}, '', '', ${now}
      ${about} where tenant_id = owner_id`),
  ] as const;
}
