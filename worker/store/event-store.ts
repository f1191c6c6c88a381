/**
 * Events: an entry in the audit log and, if a webhook is set, a row in the outbox, both in the same batch as the fact that they report.
 * Cron claims due rows. A claim also sets the time of the next attempt, so a run that dies is retried.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { DeletionEvent, EventType } from '../domain/events.ts';
import type { Database } from './database.ts';

/** A new event about a service. Values can be SQL expressions. */
export interface NewEvent {
  /** `evt_` and 16 characters. The audit entry uses the same characters, and neither is written twice. */
  id: string;
  type: EventType;
  serviceId: string;
  resourceId: string | SQL;
  trigger: string | null | SQL;
  error: string | null;
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
  const route = audit.reason === undefined ? type : `${type} ${audit.reason}`;
  return [
    db.run(sql`insert into audit_log (id, tenant_id, actor, route, resource_id, status, request_id, address_hash, created_at)
      select ${id.replace('evt_', 'aud_')}, projects.tenant_id, 'system', ${route}, coalesce(${resourceId}, services.id), ${audit.status}, '', '', ${at}
      ${about} on conflict do nothing`),
    db.run(sql`insert into events (id, type, tenant_id, project_id, service_id, project_name, service_name, resource_id, trigger,
        error, next_attempt_at, created_at)
      select ${id}, ${type}, projects.tenant_id, projects.id, services.id, projects.name, services.name, coalesce(${resourceId}, services.id), ${trigger},
        ${error}, ${at}, ${at}
      ${about} and ${hasWebhook} on conflict do nothing`),
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
      iif(service_id is null, '', name), resource_id, ${at}, ${at}
    from deletions where resource_id = ${resourceId} and ${holds} and ${hasWebhook} on conflict do nothing`);
}

const hasWebhook = sql`exists (select 1 from settings where name = 'eventWebhook' and value <> 'null')`;

/** Deletes undelivered events when no webhook is set. */
export function dropUndeliveredEvents(db: Database) {
  return db.run(sql`delete from events where next_attempt_at is not null and not ${hasWebhook}`);
}
