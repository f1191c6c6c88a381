/** Short-lived keys: created by a key, with no more rights than that key, and ended with it. */

import {
  includesLevel,
  type KeyLevel,
  shortLivedKeysMax,
  shortLivedMinutes,
} from '../../domain/access/key-levels.ts';
import { ApiError } from '../../domain/errors.ts';
import { issueToken } from '../../security/api-token.ts';
import { insertMadeKey, selectProjectIds } from '../../store/access/api-key-store.ts';
import { selectOtherTenant } from '../../store/projects/tenant-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { type KeyView, newKeyRow } from './api-keys.ts';

const minuteMs = 60_000;

export interface NewShortLivedKey {
  name: string;
  expiresInMinutes: number;
  /** If absent: the maker's level. */
  access?: KeyLevel | undefined;
  /** If absent: the maker's projects. */
  projects?: 'all' | string[] | undefined;
}

export type Maker = Omit<KeyView, 'showsTenant'>;

/**
 * Creates a short-lived key. Its token is returned only once.
 * @param maker found by its current token; undefined if the caller used the token before the last rotation
 * @throws ApiError `forbidden` for more rights than the maker's, and for a replaced token; `invalid_request` for a project that the maker can't see;
 *   `conflict` for an end after the maker's own; `quota_exceeded`
 */
export async function makeShortLivedKey(
  { db, newId, now, fillRandom, cell }: Dependencies,
  maker: Maker | undefined,
  wanted: NewShortLivedKey,
): Promise<{ view: KeyView; token: string }> {
  if (!maker) throw replacedToken();
  const { access = maker.key.access, projects = maker.key.allProjects ? 'all' : maker.projectIds } = wanted;
  assertNotWider(maker, access, projects);
  const { id: madeBy, tenantId, tokenId } = maker.key;
  const projectIds = projects === 'all' ? [] : [...new Set(projects)];
  const [known, others] = await db.batch([selectProjectIds(db, tenantId, projectIds), selectOtherTenant(db)]);
  assertSees(maker, projectIds, known);
  const createdAt = now();
  const expiresAt = createdAt + wanted.expiresInMinutes * minuteMs;
  assertEndsBefore(maker, expiresAt, createdAt);
  const { token, record } = await issueToken(fillRandom, cell);
  const key = newKeyRow({
    ...{ id: newId('key'), tenantId, name: wanted.name, access, allProjects: projects === 'all', ...record },
    ...{ madeBy, createdAt, expiresAt },
  });
  const limits = { id: madeBy, tokenId, keysMax: shortLivedKeysMax };
  const { isInserted, isMakerLive } = await insertMadeKey(db, key, projectIds, limits);
  if (!isMakerLive) throw replacedToken();
  if (!isInserted) throw tooMany();
  return { view: { key, projectIds, showsTenant: others.length > 0 }, token };
}

function assertNotWider({ key }: Maker, access: KeyLevel, projects: 'all' | string[]): void {
  if (!includesLevel(key.access, access)) {
    throw new ApiError(
      'forbidden',
      `The field "access" is "${access}", but this key has ${key.access} access only: a key can't create one with more access.`,
    );
  }
  if (projects === 'all' && !key.allProjects) {
    throw new ApiError(
      'forbidden',
      'The field "projects" is "all", but this key is limited to some projects: leave it out, or list some of them.',
    );
  }
}

/** @param known the given projects that exist in the tenant. A project that the maker can't see is answered like a missing one. */
function assertSees(
  { key, projectIds: seen }: Maker,
  wanted: readonly string[],
  known: readonly { id: string }[],
): void {
  const sees = (id: string) => known.some((one) => one.id === id) && (key.allProjects || seen.includes(id));
  const unseen = wanted.find((id) => !sees(id));
  if (unseen === undefined) return;
  throw new ApiError(
    'invalid_request',
    `The field "projects" contains "${unseen}", which this key can't access.`,
  );
}

/** @throws ApiError if the key would outlive its maker */
function assertEndsBefore({ key }: Maker, expiresAt: number, now: number): void {
  if (key.expiresAt === null || expiresAt <= key.expiresAt) return;
  const minutesLeft = Math.floor((key.expiresAt - now) / minuteMs);
  const wayOut = minutesLeft < shortLivedMinutes.min ? 'use another key' : `choose at most ${minutesLeft}`;
  throw new ApiError(
    'conflict',
    `The field "expiresInMinutes" is longer than this key lasts (${new Date(key.expiresAt).toISOString()}): ${wayOut}.`,
  );
}

const replacedToken = () =>
  new ApiError('forbidden', 'This token was replaced by a newer one: create keys with the newer one.');

const tooMany = () =>
  new ApiError(
    'quota_exceeded',
    `This key has already created ${shortLivedKeysMax} keys that still work, which is the limit: wait until one expires, or revoke one (GET /api/keys, DELETE /api/keys/:keyId).`,
  );
