import {
  type AlertRuleRow,
  selectHostAlertRule,
  selectScopedAlertRule,
} from '../store/alerts/alert-rule-store.ts';
import { type AlertRow, selectAlert, selectScopedAlert } from '../store/alerts/alert-store.ts';
import { parameter, type ResourceLoader } from './resources.ts';

/** `:alertId` about a service that the key sees. */
export const alertResource: ResourceLoader<{ alert: AlertRow }> = {
  name: 'alert',
  scope: 'key',
  select: (db, tokenId, params) => selectScopedAlert(db, tokenId, parameter(params, 'alertId')),
  projectOf: ({ alert }) => alert.projectId || null,
};

/** `:alertId`, for the operator. */
export const anyAlertResource: ResourceLoader<{ alert: AlertRow }> = {
  name: 'alert',
  scope: 'operator',
  select: (db, _tokenId, params) => selectAlert(db, parameter(params, 'alertId')),
};

/** `:ruleId` of a project that the key sees. */
export const alertRuleResource: ResourceLoader<{ rule: AlertRuleRow }> = {
  name: 'alertRule',
  scope: 'key',
  select: (db, tokenId, params) => selectScopedAlertRule(db, tokenId, parameter(params, 'ruleId')),
  projectOf: ({ rule }) => rule.projectId,
};

/** `:hostRuleId` of a rule about hosts. */
export const hostAlertRuleResource: ResourceLoader<{ rule: AlertRuleRow }> = {
  name: 'alertRule',
  scope: 'operator',
  select: (db, _tokenId, params) => selectHostAlertRule(db, parameter(params, 'hostRuleId')),
};
