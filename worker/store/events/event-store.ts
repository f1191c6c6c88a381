/**
 * Events: an entry in the audit log and, if somebody gets it, a row in the outbox, both in the same batch as the fact that they report.
 * A trigger adds a row for each notification channel that gets it. Cron claims due rows. A claim also sets the time of the next attempt,
 * so a run that dies is retried.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { DeletionEvent, EventType } from '../../domain/events/events.ts';
import type { Database } from '../sql/database.ts';

/** A new event about a service. Values can be SQL expressions. */
export interface NewEvent {
  /** `evt_` and 16 characters. The audit entry uses the same characters, and neither is written twice. */
  id: string;
  type: EventType | SQL<EventType>;
  serviceId: string;
  resourceId: string | SQL;
  trigger: string | null | SQL;
  error: string | null | SQL;
  /** For the audit log: an optional reason, which follows the type, and an HTTP-like status. */
  audit: { reason?: string; status: number };
  at: number;
}

/**
 * Raises an event about what a batch writes.
 * @param holds condition that is evaluated at this point of the batch; the event is only raised if it holds
 * @returns two statements for that batch
 */
export function raiseEvent(db: Database, event: NewEvent, holds: SQL) {
  const { id, type, serviceId, resourceId, trigger, error, audit, at } = event;
  const about = sql`from services join projects on projects.id = services.project_id
    where services.id = ${serviceId} and ${holds}`;
  const reason = audit.reason === undefined ? '' : ` ${audit.reason}`;
  return [
    db.run(sql`insert into audit_log (id, tenant_id, actor, route, resource_id, status, request_id, address_hash, created_at)
      select ${id.replace('evt_', 'aud_')}, projects.tenant_id, 'system', ${type} || ${reason}, coalesce(${resourceId}, services.id), ${audit.status}, '', '', ${at}
      ${about} on conflict do nothing`),
    db.run(sql`insert into events (id, type, tenant_id, project_id, service_id, project_name, service_name, resource_id, trigger,
        error, next_attempt_at, created_at)
      select ${id}, ${type}, projects.tenant_id, projects.id, services.id, projects.name, services.name, coalesce(${resourceId}, services.id), ${trigger},
        ${error}, ${dueWithWebhook(at)}, ${at}
      ${about} and ${hasReceiver(sql`projects.tenant_id`)} on conflict do nothing`),
  ] as const;
}

/**
 * Raises the event of a deletion, as long as its row exists. The audit log needs no entry: it has that of the request, or of the purge.
 * @param holds condition that is evaluated at this point of the batch
 */
export function raiseDeletionEvent(
  db: Database,
  { id, resourceId, what, at }: { id: string; resourceId: string; what: DeletionEvent; at: number },
  holds: SQL = sql`true`,
) {
  return db.run(sql`insert into events (id, type, tenant_id, project_id, service_id, project_name, service_name, resource_id,
      next_attempt_at, created_at)
    select ${id}, kind || ${`.${what}`}, tenant_id, project_id, coalesce(service_id, ''), project_name,
      iif(service_id is null, '', name), resource_id, ${dueWithWebhook(at)}, ${at}
    from deletions where resource_id = ${resourceId} and ${holds} and ${hasReceiver(sql`tenant_id`)} on conflict do nothing`);
}

export const hasWebhook = sql`exists (select 1 from settings where name = 'eventWebhook' and value <> 'null')`;

/** When it is due at the webhook; null: none is set, and the event is only for notification channels. */
const dueWithWebhook = (at: number) => sql`iif(${hasWebhook}, ${at}, null)`;

/** Whether the webhook or one of the tenant's channels gets events. */
export const hasReceiver = (tenantId: SQL) =>
  sql`(${hasWebhook} or exists (select 1 from notification_channels where notification_channels.tenant_id = ${tenantId} and enabled))`;

/** Takes undelivered events from the webhook when none is set; those that no notification channel gets are deleted. */
export function dropUndeliveredEvents(db: Database) {
  const isLeft = sql`next_attempt_at is not null and not ${hasWebhook}`;
  return [
    db.run(
      sql`delete from events where ${isLeft} and not exists (select 1 from notifications where event_id = events.id)`,
    ),
    db.run(sql`update events set next_attempt_at = null where ${isLeft}`),
  ] as const;
}
