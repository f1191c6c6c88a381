/** Custom domains of a service. */
import { z } from 'zod';
import { proxyResultSchema } from '../../protocol/host-task.ts';
import { customHostnameSchema } from '../domain/hostname.ts';
import { domainResource, serviceResource } from '../http/resources.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import {
  addDomain,
  findAddedDomain,
  removeDomain,
  renameDomain,
} from '../usecases/domains/custom-domains.ts';

const body = z.strictObject({ hostname: customHostnameSchema });
const reply = z.strictObject({ ok: z.literal(true), proxy: proxyResultSchema });

const add = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/domains',
  access: 'write',
  summary: 'Add a custom domain to a service; it becomes active once its DNS points to the host.',
  resource: serviceResource,
  body,
  creates: {
    kind: 'domain',
    async find({ deps }, id) {
      const proxy = await findAddedDomain(deps, id);
      return proxy && { ok: true as const, proxy };
    },
  },
  reply,
  async handle({ deps, resource, body: { hostname } }) {
    return { ok: true as const, proxy: await addDomain(deps, resource, hostname) };
  },
});

const rename = defineRoute({
  method: 'PATCH',
  path: '/api/services/:serviceId/domains/:domainId',
  access: 'write',
  summary: 'Change the host name of a domain. Sending the current name checks its DNS again.',
  resource: domainResource,
  body,
  reply,
  async handle({ deps, resource, body: { hostname } }) {
    return { ok: true as const, proxy: await renameDomain(deps, resource, hostname) };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/services/:serviceId/domains/:domainId',
  access: 'write',
  summary: 'Remove a custom domain from a service.',
  resource: domainResource,
  reply,
  async handle({ deps, resource: { domain } }) {
    return { ok: true as const, proxy: await removeDomain(deps, domain) };
  },
});

export const domainRoutes: AnyRoute[] = [add, rename, remove];
