/** API keys: create, rotate, list, revoke. */

import type { KeyLevel } from '../../domain/access/key-levels.ts';
import { ApiError } from '../../domain/errors.ts';
import { issueToken } from '../../security/api-token.ts';
import {
  type ApiKeyRow,
  insertKey,
  revokeMadeKeys,
  selectKeysWithProjects,
  selectKeyWithProjects,
  selectNamedProjects,
  selectTenant,
  updateKey,
} from '../../store/access/api-key-store.ts';
import { selectOtherTenant } from '../../store/projects/tenant-store.ts';
import type { Page } from '../../store/sql/keyset.ts';
import type { KeyMaker } from '../../store/sql/scoped-store.ts';
import type { Dependencies } from '../dependencies.ts';

const minuteMs = 60_000;

export interface NewKey {
  name: string;
  access: KeyLevel;
  /** Ids or slugs. `all`: all projects of the tenant, including future ones. */
  projects: 'all' | string[];
  /** `null` if the key never expires. */
  expiresInMinutes: number | null;
  tenantId: string;
}

/** A key as the API shows it. */
export interface KeyView {
  key: ApiKeyRow;
  /** The key or member that created it; null: the operator. */
  maker: KeyMaker | null;
  /** Ids of the chosen projects. */
  projectIds: string[];
  /** Whether to show the tenant, because the instance has more than the default one. */
  showsTenant: boolean;
}

/**
 * Creates a key. The token is returned only once; only a hash of its secret is stored.
 * @throws ApiError `invalid_request` for an unknown tenant or project.
 */
export async function createKey(
  { db, newId, now, fillRandom, cell }: Dependencies,
  wanted: NewKey,
): Promise<{ view: KeyView; token: string }> {
  const named = wanted.projects === 'all' ? [] : wanted.projects;
  const [tenant, known, others] = await db.batch([
    selectTenant(db, wanted.tenantId),
    selectNamedProjects(db, wanted.tenantId, named),
    selectOtherTenant(db),
  ]);
  if (tenant.length === 0) {
    throw new ApiError('invalid_request', 'The field "tenantId" is not the id of a tenant.');
  }
  const chosen = [...new Set(named.map((name) => idOf(known, name)))];
  const { token, record } = await issueToken(fillRandom, cell);
  const createdAt = now();
  const { expiresInMinutes, access, name, tenantId } = wanted;
  const key = newKeyRow({
    ...{ id: newId('key'), tenantId, name, access, allProjects: wanted.projects === 'all', ...record },
    ...{ madeBy: null, createdAt },
    expiresAt: expiresInMinutes === null ? null : createdAt + expiresInMinutes * minuteMs,
  });
  await insertKey(db, key, chosen);
  return { view: { key, maker: null, projectIds: chosen, showsTenant: others.length > 0 }, token };
}

function idOf(known: readonly { id: string; slug: string }[], name: string): string {
  const found = known.find(({ id, slug }) => id === name || slug === name);
  if (found) return found.id;
  throw new ApiError(
    'invalid_request',
    `The field "projects" contains "${name}", which is neither the id nor the slug of a project of this tenant.`,
  );
}

type UnusedKey = Omit<
  ApiKeyRow,
  | 'kind'
  | 'linkedBy'
  | 'previousTokenId'
  | 'previousSecretHash'
  | 'previousUntil'
  | 'tokenUntil'
  | 'revokedAt'
  | 'lastUsedAt'
> & { kind?: ApiKeyRow['kind'] };

/** The row of a key that was never used or rotated. */
export const newKeyRow = (key: UnusedKey): ApiKeyRow => ({
  kind: 'key',
  ...key,
  ...{ previousTokenId: null, previousSecretHash: null, previousUntil: null, tokenUntil: null },
  ...{ linkedBy: null, revokedAt: null, lastUsedAt: null },
});

/** How long the old token is still valid, so that the new one can be rolled out. */
const overlapMs = 24 * 3_600_000;

/** Gives a key a new token and ends the keys that it has created. @param immediately whether to invalidate the old token now */
export async function rotateKey(
  { db, now, fillRandom, cell }: Dependencies,
  { key, maker, projectIds }: Omit<KeyView, 'showsTenant'>,
  immediately: boolean,
): Promise<{ view: KeyView; token: string }> {
  const { token, record } = await issueToken(fillRandom, cell);
  const previous = immediately
    ? { previousTokenId: null, previousSecretHash: null, previousUntil: null }
    : {
        previousTokenId: key.tokenId,
        previousSecretHash: key.secretHash,
        previousUntil: now() + overlapMs,
      };
  const changes = { ...record, ...previous };
  const [, others] = await db.batch([
    updateKey(db, key.id, changes),
    selectOtherTenant(db),
    revokeMadeKeys(db, key.id, now()),
  ]);
  return { view: { key: { ...key, ...changes }, maker, projectIds, showsTenant: others.length > 0 }, token };
}

/** The key that an earlier attempt created with this id. Nobody received its token, so it gets a new one. */
export async function findCreatedKey(
  deps: Dependencies,
  keyId: string,
): Promise<{ view: KeyView; token: string } | undefined> {
  const [[found]] = await deps.db.batch([selectKeyWithProjects(deps.db, keyId)]);
  return found && rotateKey(deps, found, true);
}

/** A page of the keys that are not revoked, including expired ones. */
export async function listKeys({ db }: Pick<Dependencies, 'db'>, page: Page): Promise<KeyView[]> {
  const [keys, others] = await db.batch([selectKeysWithProjects(db, page), selectOtherTenant(db)]);
  return keys.map((key) => ({ ...key, showsTenant: others.length > 0 }));
}

/** Revokes a key permanently, with the keys that it has created. Its row remains, because the audit log refers to it. */
export async function revokeKey({ db, now }: Pick<Dependencies, 'db' | 'now'>, keyId: string): Promise<void> {
  const revokedAt = now();
  await db.batch([updateKey(db, keyId, { revokedAt }), revokeMadeKeys(db, keyId, revokedAt)]);
}
