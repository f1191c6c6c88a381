/** Hosts, for people who place services on them. Routes only for the operator are in runners.ts. */
import { z } from 'zod';
import { notes } from '../../domain/values/field-notes.ts';
import { nextCursor, pageByCreation, pageQuery } from '../../http/paging.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { listUsableHosts } from '../../usecases/hosts/hosts.ts';

const hostSchema = z.strictObject({
  id: z.string().describe('The "runnerId" of services on it.'),
  name: z.string().describe('Name that the operator gave it.'),
  connected: z.boolean().meta(notes.connected),
  takesServices: z.boolean().describe('Whether you can place a new service on it, or move one to it.'),
  refusal: z.string().nullable().describe('Why it takes no new services; null: it takes them.'),
  services: z.int().describe('How many services that you can see are on it, or are going to move to it.'),
});

const list = defineRoute({
  method: 'GET',
  path: '/api/hosts',
  access: 'read',
  summary: 'List the hosts that your services can use, oldest first.',
  query: pageQuery(500),
  reply: z.strictObject({ hosts: z.array(hostSchema), ...nextCursor }),
  async handle({ deps, principal, query }) {
    const { rows, next } = pageByCreation(await listUsableHosts(deps, keyOf(principal), query), query);
    return {
      hosts: rows.map(({ id, name, connected, refusal, services }) => ({
        ...{ id, name, connected, takesServices: refusal === undefined, refusal: refusal ?? null, services },
      })),
      ...next,
    };
  },
});

export const hostRoutes: AnyRoute[] = [list];
