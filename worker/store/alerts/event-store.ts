/**
 * Events: an entry in the audit log and, if there is a receiver, a row in the outbox, both in the same batch as the fact that they
 * report. A trigger adds a row for each notification channel that receives the event. Cron claims due rows. A claim also sets the time
 * of the next attempt, so a run that dies is retried.
 */
import { type SQL, sql } from 'drizzle-orm';
import { type Initiator, platform } from '../../domain/access/initiator.ts';
import type { DeletionEvent, EventType } from '../../domain/alerts/events.ts';
import type { Database } from '../sql/database.ts';
import { hostOwner } from '../sql/host-owner.ts';

/** A new event about a service. Values can be SQL expressions. */
export interface NewEvent {
  /** `evt_` and 16 characters. The audit entry uses the same characters, so that neither is written twice. */
  id: string;
  type: EventType | SQL<EventType>;
  serviceId: string;
  resourceId: string | SQL;
  trigger: string | null | SQL;
  error: string | null | SQL;
  /** The job that the event is about: the event says who started it. */
  jobId?: string;
  /** For the audit log: an optional reason, which follows the type, and an HTTP-like status. */
  audit: { reason?: string; status: number };
  at: number;
}

/**
 * Raises an event about the changes of a batch.
 * @param holds condition that is evaluated at this point of the batch; the event is raised only if it holds
 * @returns two statements for that batch
 */
export function raiseEvent(db: Database, event: NewEvent, holds: SQL) {
  const { serviceId, resourceId } = event;
  const about = sql`select projects.tenant_id, projects.id as project_id, projects.name as project_name, services.id as service_id,
      services.name as service_name, coalesce(${resourceId}, services.id) as resource_id
    from services join projects on projects.id = services.project_id where services.id = ${serviceId} and ${holds}`;
  return raise(db, event, about);
}

/** A new event about a host or a tenant, with its name instead of a service's name. */
export type SubjectEvent = Omit<NewEvent, 'serviceId'>;

/**
 * Raises an event about a host for its owner; the webhook and the audit log get the owner's event.
 * @param holds condition on `runners`, evaluated at this point of the batch
 * @param audience `tenants`: also for each tenant that has services on the host
 */
export function raiseHostEvent(
  db: Database,
  event: SubjectEvent,
  holds: SQL,
  audience: 'owner' | 'tenants' = 'owner',
) {
  const about = (
    tenantId: SQL,
  ) => sql`${tenantId} as tenant_id, '' as project_id, '' as project_name, '' as service_id,
    runners.name as service_name, ${event.resourceId} as resource_id, ${hostOwner} as owner_id`;
  const owner = sql`select ${about(hostOwner)} from runners where ${holds}`;
  const others = sql`select distinct ${about(sql`projects.tenant_id`)} from runners
    join services on services.runner_id = runners.id join projects on projects.id = services.project_id
    where ${holds} and projects.tenant_id <> ${hostOwner}`;
  if (audience === 'owner') return raise(db, event, owner);
  const isOwner = sql`subject.tenant_id = subject.owner_id`;
  // An id of the usual length, and the same one if the event is raised twice.
  const ofTenant = sql`${event.id.slice(0, -8)} || substr('0000000' || subject.tenant_id, -8)`;
  return [
    insertAudit(db, entryOf(event), owner),
    insertEvent(
      db,
      { ...event, id: sql`iif(${isOwner}, ${event.id}, ${ofTenant})`, isForWebhook: isOwner },
      sql`${owner} union all ${others}`,
    ),
  ] as const;
}

/** Raises an event about a tenant. @param holds condition on `tenants`, evaluated at this point of the batch */
export const raiseTenantEvent = (db: Database, event: SubjectEvent, holds: SQL) =>
  raise(
    db,
    event,
    sql`select tenants.id as tenant_id, '' as project_id, '' as project_name, '' as service_id,
      tenants.name as service_name, ${event.resourceId} as resource_id from tenants where ${holds}`,
  );

type AnyEvent = Omit<NewEvent, 'serviceId' | 'resourceId'>;

const raise = (db: Database, event: AnyEvent, about: SQL) =>
  [insertAudit(db, entryOf(event), about), insertEvent(db, event, about)] as const;

/** The entry of an event in the audit log: its id has the same characters, so that neither is written twice. */
function entryOf({ id, type, audit: { reason, status }, at }: AnyEvent) {
  const route = reason === undefined ? sql`${type}` : sql`${type} || ${` ${reason}`}`;
  return { id: id.replace('evt_', 'aud_'), route, status, at };
}

/**
 * Raises the event of a deletion while its row exists. The audit log needs no entry, because it has the entry of the request or of the purge.
 * @param holds condition that is evaluated at this point of the batch
 */
export function raiseDeletionEvent(
  db: Database,
  {
    id,
    resourceId,
    what,
    by,
    at,
  }: { id: string; resourceId: string; what: DeletionEvent; by: Initiator; at: number },
  holds: SQL = sql`true`,
) {
  const about = sql`select tenant_id, project_id, project_name, coalesce(service_id, '') as service_id,
      iif(service_id is null, '', name) as service_name, resource_id, kind
    from deletions where resource_id = ${resourceId} and ${holds}`;
  const type = sql<EventType>`subject.kind || ${`.${what}`}`;
  return insertEvent(db, { id, type, trigger: null, error: null, startedBy: JSON.stringify(by), at }, about);
}

/**
 * Adds an event for each row of `about`, if there is a receiver and the event does not exist yet.
 * @param about a query for `tenant_id`, the ids and names of project and service, and `resource_id`; its rows are called `subject`
 * @param event.isForWebhook whether the webhook receives the event, if one is set
 */
function insertEvent(
  db: Database,
  event: Pick<NewEvent, 'type' | 'trigger' | 'error' | 'jobId' | 'at'> & {
    id: string | SQL;
    /** JSON; instead of `jobId`. */
    startedBy?: string | null;
    isForWebhook?: SQL;
  },
  about: SQL,
) {
  const { id, type, trigger, error, jobId, at, isForWebhook = sql`true` } = event;
  const startedBy =
    jobId === undefined
      ? (event.startedBy ?? null)
      : sql`(select jobs.started_by from jobs where jobs.id = ${jobId})`;
  const due = sql`iif(${isForWebhook} and ${hasWebhook}, ${at}, null)`;
  return db.run(sql`insert into events (id, type, tenant_id, project_id, service_id, project_name, service_name, resource_id, trigger,
      error, started_by, next_attempt_at, created_at)
    select ${id}, ${type}, subject.tenant_id, subject.project_id, subject.service_id, subject.project_name, subject.service_name,
      subject.resource_id, ${trigger}, ${error}, ${startedBy}, ${due}, ${at}
    from (${about}) as subject where ${hasReceiver(sql`subject.tenant_id`)} on conflict do nothing`);
}

/**
 * Adds an action of the platform to the audit log, for each row of `about`, if the entry does not exist yet.
 * @param about a query for `tenant_id` and `resource_id`
 * @param entry.status an HTTP-like status
 * @param entry.by who caused it; default: the platform
 */
export function insertAudit(
  db: Database,
  {
    id,
    route,
    status,
    by = platform,
    at,
  }: { id: string; route: string | SQL; status: number; by?: Initiator; at: number },
  about: SQL,
) {
  return db.run(sql`insert into audit_log (id, tenant_id, actor, acted_by, route, resource_id, status, request_id, address_hash, created_at)
    select ${id}, subject.tenant_id, 'system', ${JSON.stringify(by)}, ${route}, subject.resource_id, ${status}, '', '', ${at}
    from (${about}) as subject where true on conflict do nothing`);
}

const hasWebhook = sql`exists (select 1 from settings where name = 'eventWebhook' and value <> 'null')`;

/** Whether the webhook or one of the tenant's channels receives events. */
const hasReceiver = (tenantId: SQL) =>
  sql`(${hasWebhook} or exists (select 1 from notification_channels where notification_channels.tenant_id = ${tenantId} and enabled))`;

/** Removes undelivered events from the webhook if none is set; events without a notification channel are deleted. */
export function dropUndeliveredEvents(db: Database) {
  const isLeft = sql`next_attempt_at is not null and not ${hasWebhook}`;
  return [
    db.run(
      sql`delete from events where ${isLeft} and not exists (select 1 from notifications where event_id = events.id)`,
    ),
    db.run(sql`update events set next_attempt_at = null where ${isLeft}`),
  ] as const;
}
