/** Custom domains of a service. */

import { z } from 'zod';
import { proxyResultSchema } from '../../../protocol/host-task.ts';
import { customHostnameSchema } from '../../domain/names/hostname.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { domainResource, type LoadedService, serviceResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import type { Dependencies } from '../../usecases/dependencies.ts';
import {
  addDomain,
  findAddedDomain,
  readAddedDomain,
  removeDomain,
  renameDomain,
} from '../../usecases/domains/custom-domains.ts';
import { domainSchema, presentDomain } from '../present/present-overview.ts';

const body = z.strictObject({ hostname: customHostnameSchema.meta(notes.hostname) });
const reply = z.strictObject({
  ok: z.literal(true).meta(notes.ok),
  proxy: proxyResultSchema.meta(notes.proxy),
});

const withDomain = reply.extend({
  /** Absent if the domain has been removed since. */
  domain: domainSchema.optional(),
  targetIp: z.string().optional().meta(notes.targetIp),
});

async function added(deps: Dependencies, loaded: LoadedService, hostname: string) {
  const found = await readAddedDomain(deps, loaded, hostname);
  return found && { domain: presentDomain(found.domain, found.nameToken), targetIp: found.targetIp };
}

const add = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/domains',
  access: 'write',
  summary: 'Add a custom domain to a service; it becomes active once its DNS points to the host.',
  resource: serviceResource,
  body,
  creates: {
    kind: 'domain',
    async find({ deps, resource, body: { hostname } }, id) {
      const proxy = await findAddedDomain(deps, id);
      return proxy && { ok: true as const, proxy, ...(await added(deps, resource, hostname)) };
    },
  },
  reply: withDomain,
  async handle({ deps, resource, body: { hostname } }) {
    const proxy = await addDomain(deps, resource, hostname);
    return { ok: true as const, proxy, ...(await added(deps, resource, hostname)) };
  },
});

const rename = defineRoute({
  method: 'PATCH',
  path: '/api/services/:serviceId/domains/:domainId',
  access: 'write',
  summary: 'Change the host name of a domain. Sending the current name checks its DNS again.',
  resource: domainResource,
  body,
  reply: withDomain,
  async handle({ deps, resource, body: { hostname } }) {
    const proxy = await renameDomain(deps, resource, hostname);
    return { ok: true as const, proxy, ...(await added(deps, resource, hostname)) };
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
