/** The key that the caller uses, and short-lived keys created with it. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import {
  abilities,
  abilitiesOf,
  keyLevels,
  makerLevel,
  memberKeyDays,
} from '../../domain/access/key-levels.ts';
import { memberRoles, projectRoleOf } from '../../domain/access/members.ts';
import { ApiError } from '../../domain/errors.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { madeKeyResource } from '../../http/loaders/tenant-loaders.ts';
import { nextCursor, pageOf, pageQuery, placeByCreation } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestampSchema } from '../../http/timestamps.ts';
import {
  selectKeyByCurrentToken,
  selectKeyByToken,
  selectMadeKeys,
} from '../../store/access/api-key-store.ts';
import { selectMemberByToken } from '../../store/access/member-store.ts';
import { selectProjectLevels } from '../../store/projects/project-level-store.ts';
import { selectOtherTenant } from '../../store/projects/tenant-store.ts';
import { findCreatedKey, revokeKey } from '../../usecases/access/api-keys.ts';
import { makeShortLivedKey } from '../../usecases/access/short-lived-key.ts';
import {
  issuedKey,
  keyProjectsSchema,
  keySchema,
  presentIssued,
  presentKey,
  shortLivedMinutesSchema,
} from '../present/present-key.ts';
import { roleInProject } from './member-schemas.ts';

const minutesPerDay = 24 * 60;
const daysRule = `must be a whole number of days from ${memberKeyDays.min} to ${memberKeyDays.max}`;

const ownKeySchema = keySchema.extend({
  /** The operator token is no key: its id is "operator". */
  access: z.enum([...keyLevels, 'operator']).meta(notes.access),
  prefix: z.string().nullable().meta(notes.prefix),
  createdAt: timestampSchema.nullable().meta(notes.createdAt),
  may: z.array(z.enum(abilities)).describe('What the caller may do: the levels that it has, and more.'),
  /** Only for a member's session. */
  member: z
    .strictObject({
      ...{
        id: idOf('member'),
        email: z.string().meta(notes.email),
        role: z.enum(memberRoles).meta(notes.role),
      },
      projectRoles: z
        .array(roleInProject)
        .describe('Where the member has another role than `role`: `may` is not about these projects.'),
    })
    .optional(),
});

/** The operator token has no row. It opens no project: its routes are below /api/system. */
const operatorKey: z.infer<typeof ownKeySchema> = {
  id: 'operator',
  name: 'Operator token',
  access: 'operator',
  projects: [],
  prefix: null,
  createdAt: null,
  expiresAt: null,
  lastUsedAt: null,
  may: ['operate'],
};

const show = defineRoute({
  method: 'GET',
  path: '/api/key',
  access: 'read',
  takesOperator: true,
  summary: 'Show the key of this request and its rights.',
  reads: (db, { tokenId }) => ({
    keys: selectKeyByToken(db, tokenId),
    others: selectOtherTenant(db),
    members: selectMemberByToken(db, tokenId),
    levels: selectProjectLevels(db, tokenId),
  }),
  reply: z.strictObject({ key: ownKeySchema }),
  async handle({ read: { keys, others, members, levels } }) {
    const [found] = keys;
    if (!found) return { key: operatorKey };
    const shown = presentKey({ ...found, showsTenant: others.length > 0 });
    const [member] = members.map(({ member: { id, email, role } }) => ({
      ...{ id, email, role },
      projectRoles: levels.map(({ projectId, level }) => ({ projectId, role: projectRoleOf(level) })),
    }));
    const may = abilitiesOf({
      ...found.key,
      isMember: member !== undefined,
      isOwner: member?.role === 'owner',
    });
    return { key: { ...shown, may, ...(member ? { member } : {}) } };
  },
});

const make = defineRoute({
  method: 'POST',
  path: '/api/keys',
  access: makerLevel,
  onlyLastingKeys: true,
  takesMembers: true,
  summary: `Create a key with at most the rights of this key or member. It ends with the key or membership, and as soon as the member's rights do not cover it. A key makes keys for a day at most, a member for ${memberKeyDays.max} days. The token is shown only once.`,
  body: z.strictObject({
    name: nameSchema,
    /** If absent: the level of this key. */
    access: z.enum(keyLevels).optional().meta(notes.access),
    /** If absent: the projects of this key. */
    projects: keyProjectsSchema.optional().meta(notes.projects),
    expiresInMinutes: shortLivedMinutesSchema.optional().meta(note('Minutes until it expires.', 15)),
    expiresInDays: z
      .int(daysRule)
      .min(memberKeyDays.min, daysRule)
      .max(memberKeyDays.max, daysRule)
      .optional()
      .meta(note('Days until it expires, in place of `expiresInMinutes`. Only for members.', 90)),
  }),
  reads: (db, { tokenId }) => ({
    makers: selectKeyByCurrentToken(db, tokenId),
    members: selectMemberByToken(db, tokenId),
    levels: selectProjectLevels(db, tokenId),
  }),
  creates: {
    kind: 'key',
    async find({ deps }, id) {
      const found = await findCreatedKey(deps, id);
      return found && presentIssued(found);
    },
  },
  reply: issuedKey,
  async handle({ deps, body, read: { makers, members, levels } }) {
    const { expiresInDays, expiresInMinutes, ...wanted } = body;
    const isMember = members.length > 0;
    const minutes = expiresInMinutes ?? (expiresInDays ?? 0) * minutesPerDay;
    if ((expiresInDays === undefined) === (expiresInMinutes === undefined))
      throw new ApiError(
        'invalid_request',
        'Send one of the fields "expiresInMinutes" and "expiresInDays", and not both.',
      );
    if (expiresInDays !== undefined && !isMember)
      throw new ApiError(
        'invalid_request',
        'The field "expiresInDays" is for members: a key makes keys for one day at most, with "expiresInMinutes".',
      );
    const [maker] = makers;
    return presentIssued(
      await makeShortLivedKey(deps, maker && { ...maker, levels: isMember ? levels : undefined }, {
        ...wanted,
        expiresInMinutes: minutes,
      }),
    );
  },
});

const list = defineRoute({
  method: 'GET',
  path: '/api/keys',
  access: 'read',
  summary: 'List the keys that this key or member has made and that are not revoked, expired ones included.',
  query: pageQuery(1_000),
  reads: (db, { tokenId, query }) => ({
    keys: selectMadeKeys(db, tokenId, query),
    others: selectOtherTenant(db),
  }),
  reply: z.strictObject({ keys: z.array(keySchema), ...nextCursor }),
  async handle({ read: { keys, others }, query }) {
    const { rows, next } = pageOf(keys, query, ({ key }) => placeByCreation(key));
    return { keys: rows.map((found) => presentKey({ ...found, showsTenant: others.length > 0 })), ...next };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/keys/:keyId',
  access: makerLevel,
  summary: 'Revoke a key that this key or member has made. It stops working at once.',
  resource: madeKeyResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await revokeKey(deps, resource.key.id);
    return { ok: true as const };
  },
});

export const ownKeyRoutes: AnyRoute[] = [show, list, make, remove];
