/** Users' own alert rules, and default rules that users switch off. Hosts get the rules at once, or when they connect. */

import { rulesMax } from '../../../protocol/metrics/own-rules.ts';
import type { AlertRule } from '../../domain/alerts/alerts.ts';
import { assertCondition, assertMeasured, type RuleCondition } from '../../domain/alerts/own-alert-rules.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import { closeAlert } from '../../store/alerts/alert-change-store.ts';
import {
  type AlertRuleRow,
  deleteAlertRule,
  findServiceOf,
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

/** Absent fields do not change. */
export type AlertRuleChange = { [Field in keyof NewAlertRule]?: NewAlertRule[Field] | undefined };

/** The extent of a rule; for empty fields see the columns of the table. */
export type RuleScope = Pick<AlertRuleRow, 'projectId' | 'serviceId' | 'runnerId'>;

/** @throws ApiError `invalid_request` for fields that contradict each other; `quota_exceeded` */
export async function createAlertRule(
  deps: Needs & Pick<Dependencies, 'newId'>,
  scope: RuleScope,
  body: NewAlertRule,
): Promise<AlertRuleRow> {
  assertCondition(body);
  if (scope.serviceId !== '') {
    const service = await findServiceOf(deps.db, scope.projectId, scope.serviceId);
    if (!service)
      throw new ApiError(
        'invalid_request',
        'The field "serviceId" must be the id of a service of this project.',
      );
    assertMeasured(body.metric, service);
  }
  const at = deps.now();
  const row = { id: deps.newId('alertRule'), ...scope, ...body, createdAt: at, updatedAt: at };
  const written = await insertAlertRule(deps.db, row);
  if (written.length === 0)
    throw new ApiError('quota_exceeded', `There can be ${rulesMax} alert rules here: delete one.`);
  await tellHosts(deps, scope);
  return row;
}

/** An open alert remains open until its host sees that the new condition does not hold. @throws ApiError as `createAlertRule`; `not_found` */
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
  if (metric !== rule.metric && rule.serviceId !== '') {
    const service = await findServiceOf(deps.db, rule.projectId, rule.serviceId);
    if (service) assertMeasured(metric, service);
  }
  const [row] = await updateAlertRule(deps.db, rule.id, { ...changes, updatedAt: deps.now() });
  if (!row) throw absent('alertRule');
  if (!enabled) await closeAlertsOf(deps, [rule.id], '');
  await tellHosts(deps, rule);
  return row;
}

/** Also ends the rule's open alerts. */
export async function removeAlertRule(deps: Needs, rule: AlertRuleRow): Promise<void> {
  await deleteAlertRule(deps.db, rule.id);
  await closeAlertsOf(deps, [rule.id], '');
  await tellHosts(deps, rule);
}

/** Switches default rules on or off; open alerts of rules that are off end. @param projectId empty for the whole instance */
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

/** Disconnected hosts get the rules when they connect. */
async function tellHosts({ db, hubs }: Needs, { projectId, runnerId }: RuleScope): Promise<void> {
  const hosts =
    projectId !== ''
      ? await listHostsOfProject(db, projectId)
      : runnerId === ''
        ? await listConnectedHosts(db)
        : [{ id: runnerId }];
  await Promise.all(hosts.map(({ id }) => hubs.sendSetting(id, 'alert-rules')));
}
