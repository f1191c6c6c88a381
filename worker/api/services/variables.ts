/** Environment variables: list, set one or several, delete. */

import { z } from 'zod';
import { readEnvText } from '../../../protocol/env-text.ts';
import { note } from '../../../protocol/note.ts';
import { variableScopes } from '../../../protocol/variable-scope.ts';
import { ApiError } from '../../domain/errors.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { envTextSchema, variableListSchema, variableSchema } from '../../domain/variables/variable-fields.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { serviceResource, variableResource } from '../../http/loaders/service-loaders.ts';
import { nextCursor, pageByCreation, pageQuery, rowsAfter } from '../../http/paging.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { makeOverview, overviewStatements } from '../../usecases/services/read-overview.ts';
import { removeVariable, setVariable, setVariables } from '../../usecases/services/variables.ts';
import { presentVariable, variableSchema as shownVariableSchema } from '../present/present-overview.ts';
import { warningsOf, warningsPart } from '../present/present-warnings.ts';

const done = z.strictObject({ ok: z.literal(true).meta(notes.ok) });

const set = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/env',
  access: 'write',
  summary: 'Create a variable, or change the existing one with this key.',
  resource: serviceResource,
  body: variableSchema,
  creates: {},
  reply: done.extend({ id: idOf('variable'), ...warningsPart }),
  async handle({ deps, resource, body }) {
    const { id, warnings } = await setVariable(deps, resource, body);
    return { ok: true as const, id, ...warningsOf(warnings) };
  },
});

const setMany = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/env/bulk',
  access: 'write',
  summary:
    'Create or change several variables, all or none: the `text` of a .env file, or a list `env`. Variables that it does not name stay.',
  resource: serviceResource,
  body: z
    .strictObject({
      text: envTextSchema.optional().meta(note('Text of a .env file.', 'MODE=production\nGREETING="hello"')),
      env: variableListSchema.optional(),
    })
    .refine(({ text, env }) => (text === undefined) !== (env === undefined), 'needs either "text" or "env"'),
  creates: {},
  reply: done.extend({
    env: z.array(
      z.strictObject({
        id: idOf('variable'),
        key: z.string().meta(notes.key),
        scope: z.enum(variableScopes).meta(notes.scope),
        created: z.boolean().describe('Whether it is new; false: it was changed.'),
      }),
    ),
    ...warningsPart,
  }),
  async handle({ deps, resource, body: { text, env } }) {
    const list = env ?? entriesOf(text ?? '');
    const set = await setVariables(deps, resource, list);
    return { ok: true as const, env: set.env, ...warningsOf(set.warnings) };
  },
});

const list = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/env',
  access: 'read',
  summary: "List the service's variables.",
  resource: serviceResource,
  query: pageQuery(1_000),
  reads: (db, { tokenId, params }) => overviewStatements(db, tokenId, parameter(params, 'serviceId')),
  reply: z.strictObject({ env: z.array(shownVariableSchema), ...nextCursor }),
  async handle({ deps, resource, read, principal, query }) {
    const { variables } = await makeOverview(deps, resource, read, keyOf(principal).access);
    const { rows, next } = pageByCreation(rowsAfter(variables, query), query);
    return { env: rows.map(presentVariable), ...next };
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

export const variableRoutes: AnyRoute[] = [set, setMany, list, remove];

/** @throws ApiError `invalid_request` with the number of the line */
function entriesOf(text: string) {
  const { entries, problem } = readEnvText(text);
  if (problem === null) return entries;
  throw new ApiError('invalid_request', `The field "text" can't be read: ${problem}. Nothing was set.`);
}
