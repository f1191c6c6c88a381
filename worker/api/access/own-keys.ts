/** The key that the caller uses, and short-lived keys created with it. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { abilities, abilitiesOf, keyLevels, makerLevel } from '../../domain/access/key-levels.ts';
import { memberRoles, projectRoleOf } from '../../domain/access/members.ts';
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
    const may = abilitiesOf({ ...found.key, isOwner: member?.role === 'owner' });
    return { key: { ...shown, may, ...(member ? { member } : {}) } };
  },
});

const make = defineRoute({
  method: 'POST',
  path: '/api/keys',
  access: makerLevel,
  onlyLastingKeys: true,
  summary:
    'Create a short-lived key with at most the rights of this key. It ends when this key ends. The token is shown only once.',
  body: z.strictObject({
    name: nameSchema,
    /** If absent: the level of this key. */
    access: z.enum(keyLevels).optional().meta(notes.access),
    /** If absent: the projects of this key. */
    projects: keyProjectsSchema.optional().meta(notes.projects),
    expiresInMinutes: shortLivedMinutesSchema.meta(note('Minutes until it expires.', 15)),
  }),
  reads: (db, { tokenId }): { makers: ReturnType<typeof selectKeyByCurrentToken> } => ({
    makers: selectKeyByCurrentToken(db, tokenId),
  }),
  creates: {
    kind: 'key',
    async find({ deps }, id) {
      const found = await findCreatedKey(deps, id);
      return found && presentIssued(found);
    },
  },
  reply: issuedKey,
  async handle({ deps, body, read: { makers } }) {
    return presentIssued(await makeShortLivedKey(deps, makers[0], body));
  },
});

const list = defineRoute({
  method: 'GET',
  path: '/api/keys',
  access: 'read',
  summary:
    'List the short-lived keys that this key has made and that are not revoked, expired ones included.',
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
  summary: 'Revoke a short-lived key that this key has made. It stops working at once.',
  resource: madeKeyResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await revokeKey(deps, resource.key.id);
    return { ok: true as const };
  },
});

export const ownKeyRoutes: AnyRoute[] = [show, list, make, remove];
