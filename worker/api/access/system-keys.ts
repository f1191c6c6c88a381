import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { keyLevels } from '../../domain/access/key-levels.ts';
import { ApiError } from '../../domain/errors.ts';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { keyResource } from '../../http/loaders/operator-loaders.ts';
import { nextCursor, pageOf, pageQuery, placeByCreation } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { createKey, findCreatedKey, listKeys, revokeKey, rotateKey } from '../../usecases/access/api-keys.ts';
import {
  issuedKey,
  keySchema,
  presentIssued,
  presentKey,
  shortLivedMinutesSchema,
} from '../present/present-key.ts';

/** API keys, for the operator. A key is valid for at most ten years. */
const expiryDaysMax = 3650;
const minutesPerDay = 24 * 60;
const projectsRule = 'must be "all" or a list of at least one project';

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
    access: z.enum(keyLevels).meta(notes.access),
    projects: z
      .union([z.literal('all'), z.array(z.string().min(1).max(100)).min(1, projectsRule)], {
        error: projectsRule,
      })
      .meta(note('"all", or the ids or slugs of projects.', ['shop'])),
    expiresInDays: z
      .int()
      .min(1, `must be from 1 to ${expiryDaysMax}, or null`)
      .max(expiryDaysMax, `must be from 1 to ${expiryDaysMax}, or null`)
      .nullable()
      .default(null)
      .meta(note('Days until it expires; null: it does not.', 90)),
    expiresInMinutes: shortLivedMinutesSchema
      .optional()
      .meta(note('Minutes until it expires, in place of `expiresInDays`.', 15)),
    tenantId: z.string().default(defaultTenantId).meta(notes.tenantId),
  }),
  creates: {
    kind: 'key',
    async find({ deps }, id) {
      const found = await findCreatedKey(deps, id);
      return found && presentIssued(found);
    },
  },
  reply: issuedKey,
  async handle({ deps, body: { expiresInDays, expiresInMinutes, ...key } }) {
    if (expiresInDays !== null && expiresInMinutes !== undefined)
      throw new ApiError(
        'invalid_request',
        'The fields "expiresInDays" and "expiresInMinutes" exclude each other: send one of them.',
      );
    const days = expiresInDays === null ? null : expiresInDays * minutesPerDay;
    return presentIssued(await createKey(deps, { ...key, expiresInMinutes: expiresInMinutes ?? days }));
  },
});

const rotate = defineRoute({
  method: 'POST',
  path: '/api/system/keys/:keyId/rotate',
  access: 'operator',
  summary:
    'Give a key a new token. The old one works for another 24 h, unless "immediately" is true; a token before the old one ends now. Short-lived keys that it created end immediately.',
  resource: keyResource,
  body: z
    .strictObject({
      immediately: z
        .boolean()
        .default(false)
        .describe('Whether the old token stops at once; otherwise it works for 24 h more.'),
    })
    .default({ immediately: false }),
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
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await revokeKey(deps, resource.key.id);
    return { ok: true as const };
  },
});

export const keyRoutes: AnyRoute[] = [list, create, rotate, remove];
