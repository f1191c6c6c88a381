import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import { keyLevels } from '../../domain/access/key-levels.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import { tokenPrefix } from '../../security/api-token.ts';
import type { KeyView } from '../../usecases/keys/api-keys.ts';

const projectsRule = 'must be "all" or a list of at least one project id';

/** The projects of a key in a body. */
export const keyProjectsSchema = z.union(
  [z.literal('all'), z.array(idSchema('project')).min(1, projectsRule)],
  { error: projectsRule },
);

export const keySchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  access: z.enum(keyLevels),
  projects: z.union([z.literal('all'), z.array(z.string())]),
  /** Only in an instance with more than the default tenant. */
  tenantId: z.string().optional(),
  /** Only on short-lived keys: the id of the key that made it. */
  madeBy: z.string().optional(),
  prefix: z.string(),
  createdAt: timestampSchema,
  expiresAt: timestampSchema.nullable(),
  lastUsedAt: timestampSchema.nullable(),
});
export const issuedKey = z.strictObject({ key: keySchema, token: z.string() });

export function presentIssued({ view, token }: { view: KeyView; token: string }): z.infer<typeof issuedKey> {
  return { key: presentKey(view), token };
}

export function presentKey({ key, projectIds, showsTenant }: KeyView): z.infer<typeof keySchema> {
  return {
    id: key.id,
    name: key.name,
    access: key.access,
    projects: key.allProjects ? 'all' : projectIds,
    ...(showsTenant ? { tenantId: key.tenantId } : {}),
    ...(key.madeBy === null ? {} : { madeBy: key.madeBy }),
    prefix: tokenPrefix(key.tokenId),
    createdAt: timestamp(key.createdAt),
    expiresAt: timestampOrNull(key.expiresAt),
    lastUsedAt: timestampOrNull(key.lastUsedAt),
  };
}
