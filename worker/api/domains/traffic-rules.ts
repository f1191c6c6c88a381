/** Traffic rules of a service: redirects, passwords, maintenance, headers and limits. The host applies them before the app. */

import { z } from 'zod';
import { proxyResultSchema } from '../../../protocol/host-task.ts';
import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';
import { trafficRulesBody } from '../../domain/domains/traffic/rule-fields.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { serviceResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { setTrafficRules, storedRules } from '../../usecases/domains/set-traffic-rules.ts';

const path = '/api/services/:serviceId/traffic-rules';

/** Has the form of a body that sets the same rules again, without passwords. */
const reply = z.strictObject({
  rules: trafficRulesBody.meta({ description: 'All rules of the service, as a body that sets them again.' }),
});

function presentRules(rules: TrafficRules): z.infer<typeof trafficRulesBody> {
  const { redirects, basicAuth, maintenance, requestHeaders, responseHeaders } = rules;
  const scope = (domains: string[]) => (domains.length > 0 ? { domains } : {});
  return trafficRulesBody.parse({
    redirects: redirects.map(({ domains, path: fromPath, match, to, status, keepPath }) => ({
      ...scope(domains),
      fromPath,
      match,
      to,
      permanent: status === 308,
      keepPath,
    })),
    basicAuth: basicAuth && {
      ...scope(basicAuth.domains),
      users: basicAuth.users.map(({ name }) => ({ user: name })),
      openPaths: basicAuth.openPaths,
    },
    maintenance: maintenance && {
      ...scope(maintenance.domains),
      retryAfterSeconds: maintenance.retryAfterSeconds,
      allowedAddresses: maintenance.allowedAddresses,
    },
    requestHeaders: requestHeaders.map(presentHeader),
    responseHeaders: responseHeaders.map(presentHeader),
    maxBodyMegabytes: rules.maxBodyMegabytes,
    firstByteTimeoutSeconds: rules.firstByteTimeoutSeconds,
    idleTimeoutSeconds: rules.idleTimeoutSeconds,
    ...(rules.accessLog && { accessLog: rules.accessLog }),
  });
}

const presentHeader = ({ action, name, value }: TrafficRules['requestHeaders'][number]) => ({
  change: action,
  header: name,
  ...(action === 'remove' ? {} : { content: value }),
});

const read = defineRoute({
  method: 'GET',
  path,
  access: 'read',
  summary: "Read the service's traffic rules. Passwords are never returned.",
  resource: serviceResource,
  reply,
  async handle({ resource: { service } }) {
    return { rules: presentRules(storedRules(service)) };
  },
});

const set = defineRoute({
  method: 'PUT',
  path,
  access: 'write',
  summary:
    "Replace the service's traffic rules; what is left out is removed. They apply to all its names at once, without a deployment and without a lost request.",
  resource: serviceResource,
  body: trafficRulesBody,
  reply: reply.extend({ proxy: proxyResultSchema.meta(notes.proxy) }),
  async handle({ deps, resource: { service }, body }) {
    const { rules, proxy } = await setTrafficRules(deps, service, body);
    return { rules: presentRules(rules), proxy };
  },
});

export const trafficRuleRoutes: AnyRoute[] = [read, set];
