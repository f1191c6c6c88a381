/** Alert rules about hosts, and the default rules of the instance, for the operator. */

import { idSchema } from '../../../protocol/ids.ts';
import { hostRulePatchSchema, newHostRuleSchema } from '../../domain/alerts/own-alert-rules.ts';
import { ApiError } from '../../domain/errors.ts';
import { hostAlertRuleResource } from '../../http/loaders/operator-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { selectRunner } from '../../store/hosts/runner-store.ts';
import {
  changeAlertRule,
  createAlertRule,
  removeAlertRule,
  switchDefaultAlerts,
} from '../../usecases/alerts/change-alert-rules.ts';
import {
  allRules,
  chosenSwitches,
  madeRule,
  presentRule,
  removedReply,
  ruleReply,
  rulesReply,
  switchedReply,
  switchesBody,
} from '../present/present-alert-rule.ts';

const ofHosts = '/api/system/alert-rules';

const listHosts = defineRoute({
  method: 'GET',
  path: ofHosts,
  access: 'operator',
  summary: 'List the alert rules about hosts, and the default rules of the instance.',
  reply: rulesReply,
  handle: ({ deps }) => allRules(deps, ''),
});

const createForHosts = defineRoute({
  method: 'POST',
  path: ofHosts,
  access: 'operator',
  summary:
    'Watch a metric of all hosts or of one: raise an alert when it is above or below a threshold for some time.',
  body: newHostRuleSchema.extend({
    runnerId: idSchema('runner').describe('Only this host; absent: each host.').optional(),
  }),
  creates: { kind: 'alertRule', find: madeRule },
  reply: ruleReply,
  async handle({ deps, body: { runnerId = '', ...rule } }) {
    if (runnerId !== '' && (await selectRunner(deps.db, runnerId)).length === 0)
      throw new ApiError('invalid_request', 'The field "runnerId" must be the id of a host.');
    return {
      rule: presentRule(await createAlertRule(deps, { projectId: '', serviceId: '', runnerId }, rule)),
    };
  },
});

const changeOfHosts = defineRoute({
  method: 'PATCH',
  path: `${ofHosts}/:hostRuleId`,
  access: 'operator',
  summary: 'Change an alert rule about hosts. Omitted fields keep their values.',
  resource: hostAlertRuleResource,
  body: hostRulePatchSchema,
  reply: ruleReply,
  handle: async ({ deps, resource, body }) => ({
    rule: presentRule(await changeAlertRule(deps, resource.rule, body)),
  }),
});

const removeOfHosts = defineRoute({
  method: 'DELETE',
  path: `${ofHosts}/:hostRuleId`,
  access: 'operator',
  summary: 'Delete an alert rule about hosts. Its open alerts end.',
  resource: hostAlertRuleResource,
  reply: removedReply,
  async handle({ deps, resource }) {
    await removeAlertRule(deps, resource.rule);
    return { ok: true as const };
  },
});

const switchOfInstance = defineRoute({
  method: 'PATCH',
  path: '/api/system/default-alerts',
  access: 'operator',
  summary:
    'Switch default alert rules off or on for the whole instance. Open alerts of those that are switched off end.',
  body: switchesBody,
  reply: switchedReply,
  async handle({ deps, body }) {
    await switchDefaultAlerts(deps, '', chosenSwitches(body));
    return { defaults: (await allRules(deps, '')).defaults };
  },
});

export const systemAlertRuleRoutes: AnyRoute[] = [
  listHosts,
  createForHosts,
  changeOfHosts,
  removeOfHosts,
  switchOfInstance,
];
