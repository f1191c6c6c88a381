import { z } from 'zod';
import { idSchema } from '../../protocol/ids.ts';
import { nameSchema } from '../domain/service-fields.ts';
import { defaultTenantId } from '../domain/tenant.ts';
import { keyResource } from '../http/resources.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../http/timestamps.ts';
import { tokenPrefix } from '../security/api-token.ts';
import {
  createKey,
  findCreatedKey,
  type KeyView,
  listKeys,
  revokeKey,
  rotateKey,
} from '../usecases/keys/api-keys.ts';

/** API keys, for the operator. Keys live at most ten years; longer is as good as never. */
const expiryDaysMax = 3650;

const projectsRule = 'must be "all" or a list of at least one project id';

const keySchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  access: z.enum(['read', 'write']),
  projects: z.union([z.literal('all'), z.array(z.string())]),
  /** Only in an instance with more than the default tenant. */
  tenantId: z.string().optional(),
  prefix: z.string(),
  createdAt: timestampSchema,
  expiresAt: timestampSchema.nullable(),
  lastUsedAt: timestampSchema.nullable(),
});
const issuedKey = z.strictObject({ key: keySchema, token: z.string() });

const list = defineRoute({
  method: 'GET',
  path: '/api/system/keys',
  access: 'operator',
  summary: 'List the API keys.',
  reply: z.strictObject({ keys: z.array(keySchema) }),
  async handle({ deps }) {
    return { keys: (await listKeys(deps)).map(presentKey) };
  },
});

const create = defineRoute({
  method: 'POST',
  path: '/api/system/keys',
  access: 'operator',
  summary: 'Create an API key; the token is shown only once.',
  body: z.strictObject({
    name: nameSchema,
    access: z.enum(['read', 'write']),
    projects: z.union([z.literal('all'), z.array(idSchema('project')).min(1, projectsRule)], {
      error: projectsRule,
    }),
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
  summary: 'Give a key a new token. The old one works for another 24 h, unless "immediately" is true.',
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
  summary: 'Revoke a key immediately.',
  resource: keyResource,
  reply: z.strictObject({ ok: z.literal(true) }),
  async handle({ deps, resource }) {
    await revokeKey(deps, resource.key.id);
    return { ok: true as const };
  },
});

export const keyRoutes: AnyRoute[] = [list, create, rotate, remove];

function presentIssued({ view, token }: { view: KeyView; token: string }): z.infer<typeof issuedKey> {
  return { key: presentKey(view), token };
}

function presentKey({ key, projectIds, showsTenant }: KeyView): z.infer<typeof keySchema> {
  return {
    id: key.id,
    name: key.name,
    access: key.access,
    projects: key.allProjects ? 'all' : projectIds,
    ...(showsTenant ? { tenantId: key.tenantId } : {}),
    prefix: tokenPrefix(key.tokenId),
    createdAt: timestamp(key.createdAt),
    expiresAt: timestampOrNull(key.expiresAt),
    lastUsedAt: timestampOrNull(key.lastUsedAt),
  };
}
