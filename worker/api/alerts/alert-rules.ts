/** Alert rules of a project: rules created by people, and the default rules, which can be switched off. */

import { idSchema } from '../../../protocol/ids.ts';
import { newRuleSchema, rulePatchSchema } from '../../domain/alerts/own-alert-rules.ts';
import { projectResource } from '../../http/loaders/service-loaders.ts';
import { alertRuleResource } from '../../http/loaders/tenant-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
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

const ofProject = '/api/projects/:projectId/alert-rules';

const list = defineRoute({
  method: 'GET',
  path: ofProject,
  access: 'read',
  summary: 'List the alert rules of a project: those that were made, and the default ones.',
  resource: projectResource,
  reply: rulesReply,
  handle: ({ deps, resource }) => allRules(deps, resource.project.id),
});

const create = defineRoute({
  method: 'POST',
  path: ofProject,
  access: 'write',
  summary:
    'Watch a metric of the services of a project: raise an alert when it is above or below a threshold for some time.',
  resource: projectResource,
  body: newRuleSchema.extend({
    serviceId: idSchema('service')
      .describe('Only this service; absent: each service of the project.')
      .optional(),
  }),
  creates: { kind: 'alertRule', find: madeRule },
  reply: ruleReply,
  async handle({ deps, resource: { project }, body: { serviceId = '', ...rule } }) {
    return {
      rule: presentRule(
        await createAlertRule(deps, { projectId: project.id, serviceId, runnerId: '' }, rule),
      ),
    };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: '/api/alert-rules/:ruleId',
  access: 'write',
  summary: 'Change an alert rule. Omitted fields keep their values; what it watches stays.',
  resource: alertRuleResource,
  body: rulePatchSchema,
  reply: ruleReply,
  handle: async ({ deps, resource, body }) => ({
    rule: presentRule(await changeAlertRule(deps, resource.rule, body)),
  }),
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/alert-rules/:ruleId',
  access: 'write',
  summary: 'Delete an alert rule. Its open alerts end.',
  resource: alertRuleResource,
  reply: removedReply,
  async handle({ deps, resource }) {
    await removeAlertRule(deps, resource.rule);
    return { ok: true as const };
  },
});

const switchOfProject = defineRoute({
  method: 'PATCH',
  path: '/api/projects/:projectId/default-alerts',
  access: 'write',
  summary:
    'Switch default alert rules off or on for a project. Open alerts of those that are switched off end.',
  resource: projectResource,
  body: switchesBody,
  reply: switchedReply,
  async handle({ deps, resource, body }) {
    await switchDefaultAlerts(deps, resource.project.id, chosenSwitches(body));
    return { defaults: (await allRules(deps, resource.project.id)).defaults };
  },
});

export const alertRuleRoutes: AnyRoute[] = [list, create, change, remove, switchOfProject];
