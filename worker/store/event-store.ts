/**
 * Events: an entry in the audit log and, where a webhook is set, a row of the outbox, both in one batch with the fact they tell of.
 * Cron claims the rows that are due; a claim is also the next attempt's moment, so that a run that dies is made good by itself.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { EventType } from '../domain/events.ts';
import type { Database } from './database.ts';

/** One that tells of a service. Texts or expressions of the statement's own. */
export interface NewEvent {
  /** `evt_` and 16 characters; its entry in the audit log has the same ones, and neither is ever written twice. */
  id: string;
  type: EventType;
  serviceId: string;
  resourceId: string | SQL;
  trigger: string | null | SQL;
  error: string | null;
  /** What the audit log says: the type and, where it has one, the reason; and a status as HTTP has it. */
  audit: { reason?: string; status: number };
  at: number;
}

/**
 * Tells of what a batch writes.
 * @param holds whether there is anything to tell, as the rows are at this place of the batch
 * @returns two statements, for that batch
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

const hasWebhook = sql`exists (select 1 from settings where name = 'eventWebhook' and value <> 'null')`;

/** What nobody is to be told any more. */
export function dropUntoldEvents(db: Database) {
  return db.run(sql`delete from events where next_attempt_at is not null and not ${hasWebhook}`);
}
