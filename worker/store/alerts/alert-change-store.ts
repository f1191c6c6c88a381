/** Beginnings and ends of alerts: each is raised and resolved once, in the same batch as its event. */
import { type SQL, sql } from 'drizzle-orm';
import { isOwnRule } from '../../../protocol/metrics/alerts.ts';
import { flapDetail, flapping, isTenantRule } from '../../domain/alerts/alerts.ts';
import type { Database } from '../sql/database.ts';
import { hostOwner } from '../sql/host-owner.ts';
import type { AlertRow } from './alert-store.ts';
import { raiseEvent, raiseHostEvent, raiseTenantEvent } from './event-store.ts';

export interface SeenAlert {
  /** A default rule, or the id of a user's own rule. */
  rule: string;
  subjectId: string;
  /** `null` for an alert about the host `runnerId` or the tenant. */
  serviceId: string | null;
  /** The host that sees the condition; empty for cron. */
  runnerId: string;
  /** The tenant of an alert about a tenant; absent for a service or a host. */
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
 * Statements that open an alert, unless the same alert is open, its service is not on that host, or its rule does not apply: it is off,
 * or belongs to someone else. An event is raised unless the alert is silenced.
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
        ? sql`select ${hostOwner} as tenant_id, '' as project_id, '' as service_id, name from runners where id = ${runnerId || subjectId} and revoked_at is null`
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

/** Moves the open alert of a moved service to its new host: otherwise the old host would end it. */
const takeOver = (db: Database, { rule, subjectId, serviceId, runnerId }: NewAlert) =>
  db.run(sql`update alerts set runner_id = ${runnerId} where subject_id = ${subjectId} and rule = ${rule} and resolved_at is null
    and runner_id not in ('', ${runnerId}) and exists (select 1 from services where id = ${serviceId} and runner_id = ${runnerId})`);

/** Condition for a statement with the alert's subject as `about`: its rule applies. A host may report any rule. */
const isWatched = (rule: string) =>
  isOwnRule(rule)
    ? sql`exists (select 1 from alert_rules where alert_rules.id = ${rule} and enabled and alert_rules.project_id = about.project_id
        and alert_rules.service_id in ('', about.service_id))`
    : sql`not exists (select 1 from alert_switches where alert_switches.rule = ${rule} and alert_switches.project_id in ('', about.project_id))`;

/**
 * Statements for an alert whose condition no longer holds. The alert ends, or stays open if the condition flaps: one event reports that,
 * and the alert ends after an hour without the condition.
 * @param flapEventId id of that event, used only if that event is raised
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

/** Statement for a flapping alert whose condition holds again. */
export const resumeAlert = (db: Database, id: string) =>
  db.run(sql`update alerts set absent_since = null where id = ${id} and resolved_at is null`);

/** For `closeAlert`: the condition has not returned since. */
export const isAbsentSince = (before: number) => sql`absent_since <= ${before}`;

/** Whether the condition has caused the most messages allowed: counted from its last alerts, each of which causes two at most. */
const isFlapping = ({ subjectId, rule }: Pick<SeenAlert, 'subjectId' | 'rule'>, at: number) => {
  const since = at - flapping.withinMs;
  return sql`(select coalesce(sum((raised_at > ${since})
        + (coalesce(resolved_at, 0) > ${since} and coalesce(silenced_until, 0) <= resolved_at)), 0)
      from (select * from alerts recent where recent.subject_id = ${subjectId} and recent.rule = ${rule}
        order by recent.raised_at desc limit ${flapping.messagesMax})
      where is_told) >= ${flapping.messagesMax}`;
};

/**
 * Statements that end an alert. An event is raised if the beginning raised one and the alert is not silenced.
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

const eventFacts = (
  { id, rule, subjectId, serviceId, runnerId, tenantId, detail }: AlertRow,
  at: number,
) => ({
  ...{ id, rule, subjectId, runnerId, detail, at },
  serviceId: serviceId || null,
  ...(isTenantRule(rule) && { tenantId }),
});

type AlertEvent = Pick<
  NewAlert,
  'id' | 'rule' | 'subjectId' | 'serviceId' | 'runnerId' | 'tenantId' | 'eventId' | 'at'
> & {
  detail: string | SQL;
  type: 'alert.raised' | 'alert.resolved';
};

function eventOf(db: Database, event: AlertEvent, holds: SQL) {
  const { id, rule, subjectId, serviceId, runnerId, tenantId, detail, eventId, at, type } = event;
  const status = type === 'alert.raised' ? 500 : 200;
  const facts = { id: eventId, resourceId: id, trigger: rule, error: detail, at };
  const raised = { ...facts, type, audit: { reason: rule, status } };
  if (serviceId !== null) return raiseEvent(db, { ...raised, serviceId }, holds);
  if (tenantId !== undefined) return raiseTenantEvent(db, raised, sql`tenants.id = ${tenantId} and ${holds}`);
  if (rule !== 'hostAway') return raiseHostEvent(db, raised, sql`runners.id = ${runnerId} and ${holds}`);
  const isHost = sql`runners.id = ${subjectId} and runners.revoked_at is null and ${holds}`;
  const away = { ...facts, resourceId: subjectId, trigger: null };
  return type === 'alert.raised'
    ? raiseHostEvent(db, { ...away, type: 'host.away', audit: { status: 503 } }, isHost, 'tenants')
    : raiseHostEvent(
        db,
        { ...away, type: 'host.returned', error: null, audit: { status: 200 } },
        sql`${isHost} and runners.connected_at is not null`,
        'tenants',
      );
}
