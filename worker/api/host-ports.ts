/** The port of a service on its host. */
import { z } from 'zod';
import { serviceResource } from '../http/resources.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { changeHostPort } from '../usecases/services/change-host-port.ts';
import { presentService, serviceSchema } from './present/present-service.ts';

const change = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/host-port',
  access: 'write',
  summary:
    'Give a service another port of its host, the next free one or `port`. A version that serves keeps its port until the next deployment (`pending`).',
  resource: serviceResource,
  body: z
    .strictObject({
      port: z
        .int()
        .min(1, 'must be a port from 1 to 65535')
        .max(65535)
        .optional()
        .meta({
          description: 'A port of the block that the host has for apps or for databases.',
          examples: [41_005],
        }),
    })
    .optional(),
  reply: z.strictObject({ service: serviceSchema, port: z.int(), pending: z.boolean() }),
  async handle({ deps, resource: { service }, body }) {
    const { view, port, pending } = await changeHostPort(deps, service, body?.port);
    return { service: presentService(view), port, pending };
  },
});

export const hostPortRoutes: AnyRoute[] = [change];
