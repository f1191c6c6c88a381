/** Environment variables: set and delete. The overview lists them. */
import { z } from 'zod';
import { variableSchema } from '../domain/variable-fields.ts';
import { serviceResource, variableResource } from '../http/resources.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { removeVariable, setVariable } from '../usecases/services/variables.ts';
import { warningsOf, warningsPart } from './present/present-warnings.ts';

const done = z.strictObject({ ok: z.literal(true) });

const set = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/env',
  access: 'write',
  summary: 'Create a variable, or change the existing one with this key.',
  resource: serviceResource,
  body: variableSchema,
  creates: {},
  reply: done.extend(warningsPart),
  async handle({ deps, resource, body }) {
    return { ok: true as const, ...warningsOf(await setVariable(deps, resource, body)) };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/services/:serviceId/env/:envId',
  access: 'write',
  summary: 'Delete a variable.',
  resource: variableResource,
  reply: done,
  async handle({ deps, resource }) {
    await removeVariable(deps, resource.variable);
    return { ok: true as const };
  },
});

export const variableRoutes: AnyRoute[] = [set, remove];
