import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import { type KeyKind, keyLevels, shortLivedMinutes } from '../../domain/access/key-levels.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import { tokenPrefix } from '../../security/api-token.ts';
import type { KeyView } from '../../usecases/access/api-keys.ts';

const projectsRule = 'must be "all" or a list of at least one project id';

/** The projects of a key in a body. */
export const keyProjectsSchema = z.union(
  [z.literal('all'), z.array(idSchema('project')).min(1, projectsRule)],
  { error: projectsRule },
);

const minutesRule = `must be a whole number of minutes from ${shortLivedMinutes.min} to ${shortLivedMinutes.max}`;

/** The lifetime of a short-lived key in a body. */
export const shortLivedMinutesSchema = z
  .int(minutesRule)
  .min(shortLivedMinutes.min, minutesRule)
  .max(shortLivedMinutes.max, minutesRule);

export const keySchema = z.strictObject({
  id: idOf('key'),
  name: z.string().meta(notes.name),
  access: z.enum(keyLevels).meta(notes.access),
  projects: z.union([z.literal('all'), z.array(z.string())]).meta(notes.projects),
  /** Only in an instance with more than the default tenant. */
  tenantId: z.string().optional().meta(notes.tenantId),
  madeBy: z
    .string()
    .optional()
    .describe('Only on keys that a key, a member or a trust policy made: the id of that maker.'),
  maker: z
    .strictObject({
      type: z.enum(['member', 'key', 'trust-policy']).describe('What made it.'),
      name: z.string().describe('Name of the maker.'),
    })
    .optional()
    .describe('Who made the key; absent for keys of the operator.'),
  prefix: z.string().meta(notes.prefix),
  createdAt: timestampSchema.meta(notes.createdAt),
  expiresAt: timestampSchema.nullable().meta(notes.expiresAt),
  lastUsedAt: timestampSchema.nullable().meta(notes.lastUsedAt),
});
export const issuedKey = z.strictObject({ key: keySchema, token: z.string().meta(notes.token) });

/** Sessions make no keys for themselves: those are of the member. */
const makerTypeOf = (kind: KeyKind) => (kind === 'member' || kind === 'trust-policy' ? kind : 'key');

export function presentIssued({ view, token }: { view: KeyView; token: string }): z.infer<typeof issuedKey> {
  return { key: presentKey(view), token };
}

export function presentKey({ key, maker, projectIds, showsTenant }: KeyView): z.infer<typeof keySchema> {
  return {
    id: key.id,
    name: key.name,
    access: key.access,
    projects: key.allProjects ? 'all' : projectIds,
    ...(showsTenant ? { tenantId: key.tenantId } : {}),
    ...(key.madeBy === null ? {} : { madeBy: key.madeBy }),
    ...(maker
      ? {
          maker: { type: makerTypeOf(maker.kind), name: maker.name },
        }
      : {}),
    prefix: tokenPrefix(key.tokenId),
    createdAt: timestamp(key.createdAt),
    expiresAt: timestampOrNull(key.expiresAt),
    lastUsedAt: timestampOrNull(key.lastUsedAt),
  };
}
