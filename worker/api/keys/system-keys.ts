import { z } from 'zod';
import { keyLevels } from '../../domain/access/key-levels.ts';
import { nameSchema } from '../../domain/services/service-fields.ts';
import { defaultTenantId } from '../../domain/tenants/tenant.ts';
import { nextCursor, pageOf, pageQuery, placeByCreation } from '../../http/paging.ts';
import { keyResource } from '../../http/resources.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { createKey, findCreatedKey, listKeys, revokeKey, rotateKey } from '../../usecases/keys/api-keys.ts';
import {
  issuedKey,
  keyProjectsSchema,
  keySchema,
  presentIssued,
  presentKey,
} from '../present/present-key.ts';

/** API keys, for the operator. Keys live at most ten years; longer is as good as never. */
const expiryDaysMax = 3650;

const list = defineRoute({
  method: 'GET',
  path: '/api/system/keys',
  access: 'operator',
  summary: 'List the API keys.',
  query: pageQuery(1_000),
  reply: z.strictObject({ keys: z.array(keySchema), ...nextCursor }),
  async handle({ deps, query }) {
    const { rows, next } = pageOf(await listKeys(deps, query), query, ({ key }) => placeByCreation(key));
    return { keys: rows.map(presentKey), ...next };
  },
});

const create = defineRoute({
  method: 'POST',
  path: '/api/system/keys',
  access: 'operator',
  summary: 'Create an API key; the token is shown only once.',
  body: z.strictObject({
    name: nameSchema,
    access: z.enum(keyLevels),
    projects: keyProjectsSchema,
    expiresInDays: z
      .int()
      .min(1, `must be from 1 to ${expiryDaysMax}, or null`)
      .max(expiryDaysMax, `must be from 1 to ${expiryDaysMax}, or null`)
      .nullable()
      .default(null),
    tenantId: z.string().default(defaultTenantId),
  }),
  creates: {
    kind: 'key',
    async find({ deps }, id) {
      const found = await findCreatedKey(deps, id);
      return found && presentIssued(found);
    },
  },
  reply: issuedKey,
  async handle({ deps, body }) {
    return presentIssued(await createKey(deps, body));
  },
});

const rotate = defineRoute({
  method: 'POST',
  path: '/api/system/keys/:keyId/rotate',
  access: 'operator',
  summary:
    'Give a key a new token. The old one works for another 24 h, unless "immediately" is true; a token before the old one ends now. Short-lived keys that it created end immediately.',
  resource: keyResource,
  body: z.strictObject({ immediately: z.boolean().default(false) }).default({ immediately: false }),
  reply: issuedKey,
  async handle({ deps, resource, body }) {
    return presentIssued(await rotateKey(deps, resource, body.immediately));
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/system/keys/:keyId',
  access: 'operator',
  summary: 'Revoke a key immediately, with the short-lived keys that it created.',
  resource: keyResource,
  reply: z.strictObject({ ok: z.literal(true) }),
  async handle({ deps, resource }) {
    await revokeKey(deps, resource.key.id);
    return { ok: true as const };
  },
});

export const keyRoutes: AnyRoute[] = [list, create, rotate, remove];
