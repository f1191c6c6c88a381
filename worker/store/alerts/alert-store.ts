/** Alerts: reads, acknowledgements and silences. */
import { and, eq, exists, gt, isNull, or, sql } from 'drizzle-orm';
import type { AlertRule } from '../../domain/alerts/alerts.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { alerts } from '../schema/events.ts';
import { projects } from '../schema/projects.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';
import { inScope, namedBy } from '../sql/scoped-store.ts';

export type AlertRow = typeof alerts.$inferSelect;

/** Alerts per check; the others follow with the next check. */
const calmMax = 100;

/** The open alerts that this host sees. */
export const listOpenOfHost = (db: Database, runnerId: string) =>
  db
    .select()
    .from(alerts)
    .where(and(eq(alerts.runnerId, runnerId), isNull(alerts.resolvedAt)));

/** The flapping alerts whose condition has been absent since before this time. */
export const listCalmAlerts = (db: Database, before: number) =>
  db
    .select()
    .from(alerts)
    .where(and(sql`${alerts.absentSince} <= ${before}`, isNull(alerts.resolvedAt)))
    .limit(calmMax);

/** The open alerts of cron's rules. */
export const listOpenOfRules = (db: Database, rules: readonly AlertRule[]) =>
  db
    .select()
    .from(alerts)
    .where(
      sql`runner_id = '' and rule in (select value from json_each(${JSON.stringify(rules)})) and resolved_at is null`,
    );

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

/** A page of the alerts that the key may see, newest first: the tenant's in the order of their index. */
export function selectScopedAlerts(db: Database, tokenId: string, filter: AlertFilter, page: Page) {
  const { after, orderBy, limit } = keysetOf(newestFirst, 'newest', page);
  const tenantId = db.select({ id: apiKeys.tenantId }).from(apiKeys).where(namedBy(tokenId)).limit(1);
  return db
    .select({ alert: columnsAs(alerts, 'alert') })
    .from(alerts)
    .where(and(sql`${alerts.tenantId} = (${tenantId})`, isSeen(db, tokenId), chosen(filter), after))
    .orderBy(...orderBy)
    .limit(limit);
}

export function selectScopedAlert(db: Database, tokenId: string, id: string) {
  return db
    .select({ alert: columnsAs(alerts, 'alert') })
    .from(alerts)
    .where(and(eq(alerts.id, id), isSeen(db, tokenId)))
    .limit(1);
}

/** Whether the key may see an alert: alerts about services of its projects, and with all projects, alerts about its tenant. */
function isSeen(db: Database, tokenId: string) {
  const ofProject = db
    .select({ one: sql`1` })
    .from(projects)
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(eq(projects.id, alerts.projectId));
  const ofTenant = db
    .select({ one: sql`1` })
    .from(apiKeys)
    .where(and(namedBy(tokenId), eq(apiKeys.allProjects, true), eq(apiKeys.tenantId, alerts.tenantId)));
  return or(exists(ofProject), and(eq(alerts.projectId, ''), eq(alerts.runnerId, ''), exists(ofTenant)));
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
 * Changes an alert. A silence applies to the condition: a longer silence of its earlier alerts must not outlast the change.
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
