/** Alert rules that people make, and default ones that they switch off. Hosts get the rules at once, or when they connect. */

import { rulesMax } from '../../../protocol/metrics/own-rules.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import type { AlertRule } from '../../domain/events/alerts.ts';
import { assertCondition, type RuleCondition } from '../../domain/events/own-alert-rules.ts';
import { closeAlert } from '../../store/alerts/alert-change-store.ts';
import {
  type AlertRuleRow,
  deleteAlertRule,
  insertAlertRule,
  listConnectedHosts,
  listHostsOfProject,
  listOpenAlertsOf,
  switchAlerts,
  updateAlertRule,
} from '../../store/alerts/alert-rule-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'now' | 'hubs'>;

export interface NewAlertRule extends RuleCondition {
  name: string;
  forSeconds: number;
  enabled: boolean;
}

/** Absent fields keep their values. */
export type AlertRuleChange = { [Field in keyof NewAlertRule]?: NewAlertRule[Field] | undefined };

/** Where a rule applies; empty: see the columns of the table. */
export type RuleScope = Pick<AlertRuleRow, 'projectId' | 'serviceId' | 'runnerId'>;

/** @throws ApiError `invalid_request` for fields that are wrong together; `quota_exceeded` */
export async function createAlertRule(
  deps: Needs & Pick<Dependencies, 'newId'>,
  scope: RuleScope,
  body: NewAlertRule,
): Promise<AlertRuleRow> {
  assertCondition(body);
  const at = deps.now();
  const row = { id: deps.newId('alertRule'), ...scope, ...body, createdAt: at, updatedAt: at };
  const written = await insertAlertRule(deps.db, row);
  if (written.length === 0)
    throw new ApiError('quota_exceeded', `There can be ${rulesMax} alert rules here: delete one.`);
  await tellHosts(deps, scope);
  return row;
}

/** An alert that is open stays open until its host sees that the new condition does not hold. @throws ApiError as `createAlertRule`; `not_found` */
export async function changeAlertRule(
  deps: Needs,
  rule: AlertRuleRow,
  {
    metric = rule.metric,
    comparison = rule.comparison,
    threshold = rule.threshold,
    ...others
  }: AlertRuleChange,
): Promise<AlertRuleRow> {
  const { name = rule.name, forSeconds = rule.forSeconds, enabled = rule.enabled } = others;
  const changes = { name, metric, comparison, threshold, forSeconds, enabled };
  assertCondition(changes);
  const [row] = await updateAlertRule(deps.db, rule.id, { ...changes, updatedAt: deps.now() });
  if (!row) throw absent('alertRule');
  if (!enabled) await closeAlertsOf(deps, [rule.id], '');
  await tellHosts(deps, rule);
  return row;
}

/** Its open alerts end. */
export async function removeAlertRule(deps: Needs, rule: AlertRuleRow): Promise<void> {
  await deleteAlertRule(deps.db, rule.id);
  await closeAlertsOf(deps, [rule.id], '');
  await tellHosts(deps, rule);
}

/** Switches default rules on or off; open alerts of those that are off end. @param projectId empty: for the whole instance */
export async function switchDefaultAlerts(
  deps: Needs,
  projectId: string,
  isOn: ReadonlyMap<AlertRule, boolean>,
): Promise<void> {
  const [first, ...rest] = switchAlerts(deps.db, projectId, isOn, deps.now());
  if (first) await deps.db.batch([first, ...rest]);
  const off = [...isOn].filter(([, on]) => !on).map(([rule]) => rule);
  await closeAlertsOf(deps, off, projectId);
}

async function closeAlertsOf({ db, now }: Needs, rules: readonly string[], projectId: string): Promise<void> {
  if (rules.length === 0) return;
  for (const alert of await listOpenAlertsOf(db, rules, projectId)) {
    const [first, ...rest] = closeAlert(db, alert, now());
    if (first) await db.batch([first, ...rest]);
  }
}

/** Hosts that are not connected get the rules when they are. */
async function tellHosts({ db, hubs }: Needs, { projectId, runnerId }: RuleScope): Promise<void> {
  const hosts =
    projectId !== ''
      ? await listHostsOfProject(db, projectId)
      : runnerId === ''
        ? await listConnectedHosts(db)
        : [{ id: runnerId }];
  await Promise.all(hosts.map(({ id }) => hubs.sendAlertRules(id)));
}
