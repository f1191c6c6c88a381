/** Begins and ends of alerts: each is raised and resolved once, in the same batch as its event. */
import { type SQL, sql } from 'drizzle-orm';
import { isOwnRule } from '../../../protocol/metrics/alerts.ts';
import { flapDetail, flapping, isTenantRule } from '../../domain/events/alerts.ts';
import { hasReceiver, hasWebhook, raiseEvent } from '../events/event-store.ts';
import { hostOwner } from '../hosts/runner-store.ts';
import type { Database } from '../sql/database.ts';
import type { AlertRow } from './alert-store.ts';

export interface SeenAlert {
  /** A default rule, or the id of one that somebody made. */
  rule: string;
  subjectId: string;
  /** null: it is about the host `runnerId`, or the tenant. */
  serviceId: string | null;
  /** The host that sees it; empty: cron does. */
  runnerId: string;
  /** The tenant that it is about; absent: it is about a service or a host. */
  tenantId?: string;
  detail: string;
}

export interface NewAlert extends SeenAlert {
  id: string;
  eventId: string;
  endEventId: string;
  at: number;
}

/**
 * Statements that open an alert, unless the same one is open, its service is not on that host, or its rule is not for it: it is switched
 * off, or somebody else's. It is an event unless it is silenced.
 */
export function openAlert(db: Database, alert: NewAlert) {
  const { id, rule, subjectId, serviceId, runnerId, tenantId, detail, eventId, endEventId, at } = alert;
  const silence = sql`(select max(silenced_until) from alerts before
    where before.subject_id = ${subjectId} and before.rule = ${rule} and before.silenced_until > ${at})`;
  const silencedBy = sql`(select silenced_by from alerts before where before.subject_id = ${subjectId} and before.rule = ${rule}
    and before.silenced_until > ${at} order by silenced_until desc limit 1)`;
  const about =
    tenantId !== undefined
      ? sql`select id as tenant_id, '' as project_id, '' as service_id, name from tenants where id = ${tenantId}`
      : serviceId === null
        ? sql`select ${hostOwner} as tenant_id, '' as project_id, '' as service_id, name from runners where id = ${runnerId} and revoked_at is null`
        : sql`select projects.tenant_id, projects.id as project_id, services.id as service_id, services.name from services
          join projects on projects.id = services.project_id
          where services.id = ${serviceId} and (${runnerId} = '' or services.runner_id = ${runnerId})`;
  const isOpened = sql`exists (select 1 from alerts where id = ${id} and is_told)`;
  const flapEventId = sql`iif(${silence} is null and ${isFlapping(alert, at)}, ${eventId}, null)`;
  const told = sql`(select iif(flap_event_id is null, ${detail}, ${flapDetail(detail)}) from alerts where id = ${id})`;
  return [
    ...(serviceId === null || runnerId === '' ? [] : [takeOver(db, alert)]),
    db.run(sql`insert into alerts (id, rule, subject_id, tenant_id, project_id, service_id, runner_id, name, detail, end_event_id,
        is_told, raised_at, silenced_by, silenced_until, flap_event_id)
      select ${id}, ${rule}, ${subjectId}, tenant_id, project_id, service_id, ${runnerId}, name, ${detail}, ${endEventId},
        ${silence} is null, ${at}, ${silencedBy}, ${silence}, ${flapEventId}
      from (${about}) as about where ${isWatched(rule)} on conflict do nothing`),
    ...eventOf(db, { ...alert, detail: told, eventId, type: 'alert.raised' }, isOpened),
  ];
}

/** The open alert of a service that has moved is that of its new host from now on: the old one would end it. */
const takeOver = (db: Database, { rule, subjectId, serviceId, runnerId }: NewAlert) =>
  db.run(sql`update alerts set runner_id = ${runnerId} where subject_id = ${subjectId} and rule = ${rule} and resolved_at is null
    and runner_id not in ('', ${runnerId}) and exists (select 1 from services where id = ${serviceId} and runner_id = ${runnerId})`);

/** For a statement with what the alert is `about`: a host may report any rule. */
const isWatched = (rule: string) =>
  isOwnRule(rule)
    ? sql`exists (select 1 from alert_rules where alert_rules.id = ${rule} and enabled and alert_rules.project_id = about.project_id
        and alert_rules.service_id in ('', about.service_id))`
    : sql`not exists (select 1 from alert_switches where alert_switches.rule = ${rule} and alert_switches.project_id in ('', about.project_id))`;

/**
 * Statements for an alert whose condition is not seen any more. It ends, or stays open if the condition comes and goes: one event says so,
 * and the alert ends once the condition was absent for an hour.
 * @param flapEventId id of that event, which is only used if it is raised
 */
export function endAlert(db: Database, alert: AlertRow, flapEventId: string, at: number) {
  const { id, detail } = alert;
  const isOpen = sql`id = ${id} and resolved_at is null`;
  if (alert.flapEventId !== null) {
    return [
      db.run(
        sql`update alerts set absent_since = ${at} where ${isOpen} and flap_event_id is not null and absent_since is null`,
      ),
    ];
  }
  const flaps = sql`exists (select 1 from alerts where id = ${id} and flap_event_id = ${flapEventId})`;
  const event = { ...eventFacts(alert, at), eventId: flapEventId, detail: flapDetail(detail) } as const;
  return [
    db.run(sql`update alerts set flap_event_id = ${flapEventId}, absent_since = ${at} where ${isOpen} and flap_event_id is null
      and is_told and coalesce(silenced_until, 0) <= ${at} and ${isFlapping(alert, at)}`),
    ...eventOf(db, { ...event, type: 'alert.raised' }, flaps),
    ...closeAlert(db, alert, at, sql`flap_event_id is null`),
  ];
}

/** Statement for an alert that flaps, whose condition is seen again. */
export const resumeAlert = (db: Database, id: string) =>
  db.run(sql`update alerts set absent_since = null where id = ${id} and resolved_at is null`);

/** For `closeAlert`: the condition has not come back meanwhile. */
export const isAbsentSince = (before: number) => sql`absent_since <= ${before}`;

/** Whether the condition has caused as many messages as it may: of its last alerts, since each is two at most. */
const isFlapping = ({ subjectId, rule }: Pick<SeenAlert, 'subjectId' | 'rule'>, at: number) => {
  const since = at - flapping.withinMs;
  return sql`(select coalesce(sum((raised_at > ${since})
        + (coalesce(resolved_at, 0) > ${since} and coalesce(silenced_until, 0) <= resolved_at)), 0)
      from (select * from alerts recent where recent.subject_id = ${subjectId} and recent.rule = ${rule}
        order by recent.raised_at desc limit ${flapping.messagesMax})
      where is_told) >= ${flapping.messagesMax}`;
};

/**
 * Statements that end an alert. It is an event if its begin was one and it is not silenced.
 * @param holds evaluated at that point of the batch, about the alert's row
 */
export function closeAlert(db: Database, alert: AlertRow, at: number, holds: SQL = sql`true`) {
  const { id, endEventId } = alert;
  const isTold = sql`exists (select 1 from alerts where id = ${id} and is_told and resolved_at = ${at}
    and coalesce(silenced_until, 0) <= ${at})`;
  return [
    db.run(sql`update alerts set resolved_at = ${at} where id = ${id} and resolved_at is null and ${holds}`),
    ...eventOf(db, { ...eventFacts(alert, at), eventId: endEventId, type: 'alert.resolved' }, isTold),
  ];
}

const eventFacts = ({ id, rule, serviceId, runnerId, tenantId, detail }: AlertRow, at: number) => ({
  ...{ id, rule, runnerId, detail, at },
  serviceId: serviceId || null,
  ...(isTenantRule(rule) && { tenantId }),
});

type AlertEvent = Pick<NewAlert, 'id' | 'rule' | 'serviceId' | 'runnerId' | 'tenantId' | 'eventId' | 'at'> & {
  detail: string | SQL;
  type: 'alert.raised' | 'alert.resolved';
};

function eventOf(db: Database, event: AlertEvent, holds: SQL) {
  const { id, rule, serviceId, runnerId, tenantId, detail, eventId, at, type } = event;
  const status = type === 'alert.raised' ? 500 : 200;
  if (serviceId !== null) {
    const audit = { reason: rule, status };
    return raiseEvent(
      db,
      { id: eventId, type, serviceId, resourceId: id, trigger: rule, error: detail, audit, at },
      holds,
    );
  }
  const ownerId = tenantId === undefined ? hostOwner : sql`tenants.id`;
  const owner =
    tenantId === undefined
      ? sql`from runners where runners.id = ${runnerId} and ${holds}`
      : sql`from tenants where tenants.id = ${tenantId} and ${holds}`;
  return [
    db.run(sql`insert into audit_log (id, tenant_id, actor, route, resource_id, status, request_id, address_hash, created_at)
      select ${eventId.replace('evt_', 'aud_')}, ${ownerId}, 'system', ${`${type} ${rule}`}, ${id}, ${status}, '', '', ${at} ${owner}
      on conflict do nothing`),
    db.run(sql`insert into events (id, type, tenant_id, project_id, service_id, project_name, service_name, resource_id, trigger, error,
        next_attempt_at, created_at)
      select ${eventId}, ${type}, ${ownerId}, '', '', '', name, ${id}, ${rule}, ${detail}, iif(${hasWebhook}, ${at}, null), ${at} ${owner}
      and ${hasReceiver(ownerId)} on conflict do nothing`),
  ];
}
