/** Users' own alert rules, and default rules that are switched off. */
import { and, asc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { type OwnRule, rulesMax } from '../../../protocol/metrics/own-rules.ts';
import type { AlertRule } from '../../domain/alerts/alerts.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { alertRuleRows, alertSwitches, alerts } from '../schema/events.ts';
import { projects } from '../schema/projects.ts';
import { services } from '../schema/services.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { inScope } from '../sql/scoped-store.ts';

export type AlertRuleRow = typeof alertRuleRows.$inferSelect;
export type AlertRuleChanges = Partial<
  Pick<AlertRuleRow, 'name' | 'metric' | 'comparison' | 'threshold' | 'forSeconds' | 'enabled' | 'updatedAt'>
>;

/** The rules of a project, or of the operator (an empty project), in order of creation. */
export const selectAlertRules = (db: Database, projectId: string | SQL) =>
  db
    .select()
    .from(alertRuleRows)
    .where(sql`${alertRuleRows.projectId} = ${projectId}`)
    .orderBy(asc(alertRuleRows.createdAt), sql`alert_rules.rowid`)
    .limit(rulesMax);

export const selectAlertSwitches = (db: Database, projectId: string | SQL) =>
  db
    .select({ projectId: alertSwitches.projectId, rule: alertSwitches.rule })
    .from(alertSwitches)
    .where(sql`${alertSwitches.projectId} in ('', ${projectId})`);

export function selectScopedAlertRule(db: Database, tokenId: string, id: string) {
  return db
    .select({ rule: columnsAs(alertRuleRows, 'rule') })
    .from(alertRuleRows)
    .innerJoin(projects, eq(projects.id, alertRuleRows.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(eq(alertRuleRows.id, id))
    .limit(1);
}

/** A rule of the operator. */
export const selectHostAlertRule = (db: Database, id: string) =>
  db
    .select({ rule: columnsAs(alertRuleRows, 'rule') })
    .from(alertRuleRows)
    .where(and(eq(alertRuleRows.id, id), eq(alertRuleRows.projectId, '')))
    .limit(1);

export async function findAlertRule(db: Database, id: string): Promise<AlertRuleRow | undefined> {
  const [row] = await db.select().from(alertRuleRows).where(eq(alertRuleRows.id, id));
  return row;
}

/** @returns no row if the project, or the operator, has the most allowed */
export const insertAlertRule = (db: Database, row: AlertRuleRow) =>
  db.all<{ id: string }>(sql`
    insert into alert_rules (id, project_id, service_id, runner_id, name, metric, comparison, threshold, for_seconds, enabled, created_at,
      updated_at)
    select ${row.id}, ${row.projectId}, ${row.serviceId}, ${row.runnerId}, ${row.name}, ${row.metric}, ${row.comparison}, ${row.threshold},
      ${row.forSeconds}, ${row.enabled ? 1 : 0}, ${row.createdAt}, ${row.updatedAt}
    where (select count(*) from alert_rules where project_id = ${row.projectId}) < ${rulesMax} returning id`);

export const updateAlertRule = (db: Database, id: string, changes: AlertRuleChanges) =>
  db.update(alertRuleRows).set(changes).where(eq(alertRuleRows.id, id)).returning();

export const deleteAlertRule = (db: Database, id: string) =>
  db.delete(alertRuleRows).where(eq(alertRuleRows.id, id));

/** Statements that switch default rules of a project, or of the instance, on or off. */
export const switchAlerts = (
  db: Database,
  projectId: string,
  isOn: ReadonlyMap<AlertRule, boolean>,
  at: number,
) =>
  [...isOn].map(([rule, on]) =>
    on
      ? db
          .delete(alertSwitches)
          .where(and(eq(alertSwitches.projectId, projectId), eq(alertSwitches.rule, rule)))
      : db.insert(alertSwitches).values({ projectId, rule, offSince: at }).onConflictDoNothing(),
  );

/** The open alerts of these rules. @param projectId empty for all projects and hosts */
export const listOpenAlertsOf = (db: Database, rules: readonly string[], projectId: string) =>
  db
    .select()
    .from(alerts)
    .where(
      and(
        inArray(alerts.rule, [...rules] as AlertRule[]),
        isNull(alerts.resolvedAt),
        projectId === '' ? undefined : eq(alerts.projectId, projectId),
      ),
    );

/** The service of a rule, if it belongs to the project. */
export async function findServiceOf(db: Database, projectId: string, serviceId: string) {
  const [found] = await db
    .select({
      name: services.name,
      kind: services.kind,
      runtimeMode: services.runtimeMode,
      staticOutput: services.staticOutput,
    })
    .from(services)
    .where(and(eq(services.id, serviceId), eq(services.projectId, projectId)));
  return found;
}

/** The hosts that check a project's rules: those with services of it. */
export const listHostsOfProject = (db: Database, projectId: string) =>
  db.selectDistinct({ id: services.runnerId }).from(services).where(eq(services.projectId, projectId));

/** Number of hosts that are informed of a changed rule at once; others get it with their next connection. */
const hostsAtOnce = 200;
export const listConnectedHosts = (db: Database) =>
  db.all<{ id: string }>(
    sql`select id from runners where connected_at is not null and revoked_at is null order by id limit ${hostsAtOnce}`,
  );

/** Whether the project of a statement's row has rules of its own. */
export const hasAlertRules = sql<boolean>`exists (select 1 from alert_rules where alert_rules.project_id = ${projects.id})`;

/** All rules that a host checks, including those of services that are moving to it. */
export async function rulesOfHost(db: Database, runnerId: string): Promise<OwnRule[]> {
  const isHere = sql`(services.runner_id = ${runnerId} or services.next_runner_id = ${runnerId})`;
  const ofHost = sql`${isHere} and services.project_id = rule.project_id
    and rule.service_id in ('', services.id)`;
  const [row] = await db.all<{ rules: string }>(sql`select
      (select json_group_array(json_object('id', rule.id, 'name', rule.name, 'metric', metric, 'comparison', comparison,
          'threshold', threshold, 'forSeconds', for_seconds,
          'services', iif(rule.project_id = '', null, (select json_group_array(services.id) from services where ${ofHost}))))
        from alert_rules rule where enabled and (project_id in (select project_id from services where ${isHere})
          or (project_id = '' and rule.runner_id in ('', ${runnerId})))) as rules
    from runners where id = ${runnerId}`);
  return row ? (JSON.parse(row.rules) as OwnRule[]) : [];
}

/** Removes the rules of projects that can't be restored any more, and rules about removed services and hosts. */
export const deleteLostAlertRules = (db: Database) => [
  db.run(sql`delete from alert_rules where project_id <> '' and not exists (select 1 from projects where id = alert_rules.project_id)
    and not exists (select 1 from deletions where resource_id = alert_rules.project_id)`),
  db.run(sql`delete from alert_rules where service_id <> '' and not exists (select 1 from services where id = alert_rules.service_id)
    and not exists (select 1 from deletions where resource_id in (alert_rules.service_id, alert_rules.project_id))`),
  db.run(sql`delete from alert_switches where project_id <> '' and not exists (select 1 from projects where id = alert_switches.project_id)
    and not exists (select 1 from deletions where resource_id = alert_switches.project_id)`),
];
