/** Alerts: each is raised and resolved once, in the same batch as its event. */
import { and, eq, exists, gt, isNull, type SQL, sql } from 'drizzle-orm';
import { isOwnRule } from '../../protocol/metrics/alerts.ts';
import type { AlertRule } from '../domain/alerts.ts';
import { columnsAs } from './columns-as.ts';
import type { Database } from './database.ts';
import { hasReceiver, hasWebhook, raiseEvent } from './event-store.ts';
import { keysetOf, type Page } from './keyset.ts';
import { hostOwner } from './runner-store.ts';
import { apiKeys } from './schema/api-keys.ts';
import { alerts } from './schema/events.ts';
import { projects } from './schema/projects.ts';
import { inScope, namedBy } from './scoped-store.ts';

export type AlertRow = typeof alerts.$inferSelect;

export interface SeenAlert {
  /** A default rule, or the id of one that somebody made. */
  rule: string;
  subjectId: string;
  /** null: it is about the host `runnerId`. */
  serviceId: string | null;
  /** The host that sees it; empty: cron does. */
  runnerId: string;
  detail: string;
}

export interface NewAlert extends SeenAlert {
  id: string;
  eventId: string;
  endEventId: string;
  at: number;
}

/** The open alerts that this host sees. */
export const listOpenOfHost = (db: Database, runnerId: string) =>
  db
    .select()
    .from(alerts)
    .where(and(eq(alerts.runnerId, runnerId), isNull(alerts.resolvedAt)));

/** The open alerts of cron's rules. */
export const listOpenOfRules = (db: Database, rules: readonly AlertRule[]) =>
  db
    .select()
    .from(alerts)
    .where(
      sql`runner_id = '' and rule in (select value from json_each(${JSON.stringify(rules)})) and resolved_at is null`,
    );

/**
 * Statements that open an alert, unless the same one is open, its service is not on that host, or its rule is not for it: it is switched
 * off, or somebody else's. It is an event unless it is silenced.
 */
export function openAlert(db: Database, alert: NewAlert) {
  const { id, rule, subjectId, serviceId, runnerId, detail, eventId, endEventId, at } = alert;
  const silence = sql`(select max(silenced_until) from alerts before
    where before.subject_id = ${subjectId} and before.rule = ${rule} and before.silenced_until > ${at})`;
  const silencedBy = sql`(select silenced_by from alerts before where before.subject_id = ${subjectId} and before.rule = ${rule}
    and before.silenced_until > ${at} order by silenced_until desc limit 1)`;
  const about =
    serviceId === null
      ? sql`select ${hostOwner} as tenant_id, '' as project_id, '' as service_id, name from runners where id = ${runnerId} and revoked_at is null`
      : sql`select projects.tenant_id, projects.id as project_id, services.id as service_id, services.name from services
          join projects on projects.id = services.project_id
          where services.id = ${serviceId} and (${runnerId} = '' or services.runner_id = ${runnerId})`;
  const isOpened = sql`exists (select 1 from alerts where id = ${id} and is_told)`;
  return [
    ...(serviceId === null || runnerId === '' ? [] : [takeOver(db, alert)]),
    db.run(sql`insert into alerts (id, rule, subject_id, tenant_id, project_id, service_id, runner_id, name, detail, end_event_id,
        is_told, raised_at, silenced_by, silenced_until)
      select ${id}, ${rule}, ${subjectId}, tenant_id, project_id, service_id, ${runnerId}, name, ${detail}, ${endEventId},
        ${silence} is null, ${at}, ${silencedBy}, ${silence}
      from (${about}) as about where ${isWatched(rule)} on conflict do nothing`),
    ...eventOf(db, { ...alert, eventId, type: 'alert.raised' }, isOpened),
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

/** Statements that end an alert. It is an event if its begin was one and it is not silenced. */
export function closeAlert(
  db: Database,
  { id, rule, serviceId, runnerId, detail, endEventId }: AlertRow,
  at: number,
) {
  const isTold = sql`exists (select 1 from alerts where id = ${id} and is_told and resolved_at = ${at}
    and coalesce(silenced_until, 0) <= ${at})`;
  const event = {
    id,
    rule,
    runnerId,
    detail,
    at,
    serviceId: serviceId || null,
    eventId: endEventId,
  } as const;
  return [
    db.run(sql`update alerts set resolved_at = ${at} where id = ${id} and resolved_at is null`),
    ...eventOf(db, { ...event, type: 'alert.resolved' }, isTold),
  ];
}

type AlertEvent = Pick<NewAlert, 'id' | 'rule' | 'serviceId' | 'runnerId' | 'detail' | 'eventId' | 'at'> & {
  type: 'alert.raised' | 'alert.resolved';
};

function eventOf(db: Database, event: AlertEvent, holds: SQL) {
  const { id, rule, serviceId, runnerId, detail, eventId, at, type } = event;
  const status = type === 'alert.raised' ? 500 : 200;
  if (serviceId !== null) {
    const audit = { reason: rule, status };
    return raiseEvent(
      db,
      { id: eventId, type, serviceId, resourceId: id, trigger: rule, error: detail, audit, at },
      holds,
    );
  }
  const owner = sql`from runners where runners.id = ${runnerId} and ${holds}`;
  return [
    db.run(sql`insert into audit_log (id, tenant_id, actor, route, resource_id, status, request_id, address_hash, created_at)
      select ${eventId.replace('evt_', 'aud_')}, ${hostOwner}, 'system', ${`${type} ${rule}`}, ${id}, ${status}, '', '', ${at} ${owner}
      on conflict do nothing`),
    db.run(sql`insert into events (id, type, tenant_id, project_id, service_id, project_name, service_name, resource_id, trigger, error,
        next_attempt_at, created_at)
      select ${eventId}, ${type}, ${hostOwner}, '', '', '', name, ${id}, ${rule}, ${detail}, iif(${hasWebhook}, ${at}, null), ${at} ${owner}
      and ${hasReceiver(hostOwner)} on conflict do nothing`),
  ];
}

const newestFirst = { at: alerts.raisedAt, key: alerts.id };

interface AlertFilter {
  isOpen: boolean | undefined;
  serviceId?: string | undefined;
}

const chosen = ({ isOpen, serviceId }: AlertFilter) =>
  and(
    isOpen === undefined ? undefined : sql`(${alerts.resolvedAt} is null) = ${isOpen ? 1 : 0}`,
    serviceId === undefined ? undefined : eq(alerts.serviceId, serviceId),
  );

/** A page of the alerts about services that the key sees, newest first: the tenant's in the order of their index. */
export function selectScopedAlerts(db: Database, tokenId: string, filter: AlertFilter, page: Page) {
  const { after, orderBy, limit } = keysetOf(newestFirst, 'newest', page);
  const tenantId = db.select({ id: apiKeys.tenantId }).from(apiKeys).where(namedBy(tokenId)).limit(1);
  const isSeen = db
    .select({ one: sql`1` })
    .from(projects)
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(eq(projects.id, alerts.projectId));
  return db
    .select({ alert: columnsAs(alerts, 'alert') })
    .from(alerts)
    .where(and(sql`${alerts.tenantId} = (${tenantId})`, exists(isSeen), chosen(filter), after))
    .orderBy(...orderBy)
    .limit(limit);
}

export function selectScopedAlert(db: Database, tokenId: string, id: string) {
  return db
    .select({ alert: columnsAs(alerts, 'alert') })
    .from(alerts)
    .innerJoin(projects, eq(projects.id, alerts.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(eq(alerts.id, id))
    .limit(1);
}

/** A page of all alerts, newest first: for the operator. */
export function listAlerts(db: Database, filter: AlertFilter, page: Page): Promise<AlertRow[]> {
  const { after, orderBy, limit } = keysetOf(newestFirst, 'newest', page);
  return db
    .select()
    .from(alerts)
    .where(and(chosen(filter), after))
    .orderBy(...orderBy)
    .limit(limit);
}

export const selectAlert = (db: Database, id: string) =>
  db
    .select({ alert: columnsAs(alerts, 'alert') })
    .from(alerts)
    .where(eq(alerts.id, id))
    .limit(1);

export type AlertChanges = Partial<
  Pick<AlertRow, 'acknowledgedAt' | 'acknowledgedBy' | 'silencedUntil' | 'silencedBy'>
>;

/**
 * Changes an alert. A silence is that of the condition: earlier alerts of it whose silence lasts longer must not outlive a change of it.
 * @param at epoch milliseconds
 */
export async function updateAlert(
  db: Database,
  { id, subjectId, rule }: Pick<AlertRow, 'id' | 'subjectId' | 'rule'>,
  changes: AlertChanges,
  at: number,
): Promise<AlertRow | undefined> {
  const { silencedUntil, silencedBy } = changes;
  const change = db.update(alerts).set(changes).where(eq(alerts.id, id)).returning();
  if (silencedUntil === undefined) return (await change)[0];
  const isOfCondition = and(eq(alerts.subjectId, subjectId), eq(alerts.rule, rule));
  const [[changed]] = await db.batch([
    change,
    db
      .update(alerts)
      .set({ silencedUntil, silencedBy })
      .where(and(isOfCondition, gt(alerts.silencedUntil, at))),
  ]);
  return changed;
}

/** Deletes ended alerts. */
export const pruneAlerts = (db: Database, before: number, limit: number) =>
  db.run(sql`delete from alerts where id in (select id from alerts where raised_at < ${before} and resolved_at is not null
    and coalesce(silenced_until, 0) < ${before} limit ${limit})`);
