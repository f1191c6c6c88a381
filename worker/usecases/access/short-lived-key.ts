/** Keys that a key or a member creates: with no more rights than the maker, and ended with it. */

import {
  includesLevel,
  type KeyLevel,
  shortLivedKeysMax,
  shortLivedMinutes,
} from '../../domain/access/key-levels.ts';
import { ApiError } from '../../domain/errors.ts';
import { issueToken } from '../../security/api-token.ts';
import { insertMadeKey, selectProjectIds } from '../../store/access/api-key-store.ts';
import type { ProjectLevel } from '../../store/projects/project-level-store.ts';
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

/** The key that creates one, or the session of the member who does. */
export interface Maker extends Omit<KeyView, 'showsTenant'> {
  /** The member's own levels in single projects; undefined if a key creates the key. */
  levels?: readonly ProjectLevel[] | undefined;
}

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
  const { id, tenantId, tokenId } = maker.key;
  const isMember = maker.levels !== undefined;
  const madeBy = (isMember && maker.key.madeBy) || id;
  const projectIds = projects === 'all' ? [] : [...new Set(projects)];
  const [known, others] = await db.batch([selectProjectIds(db, tenantId, projectIds), selectOtherTenant(db)]);
  assertSees(maker, projectIds, known);
  const createdAt = now();
  const expiresAt = createdAt + wanted.expiresInMinutes * minuteMs;
  if (!isMember) assertEndsBefore(maker, expiresAt, createdAt);
  const { token, record } = await issueToken(fillRandom, cell);
  const key = newKeyRow({
    ...{ id: newId('key'), tenantId, name: wanted.name, access, allProjects: projects === 'all', ...record },
    ...{ madeBy, createdAt, expiresAt },
  });
  // What a session adds that a link of another member opened ends with that member's right to make links.
  const row = isMember ? { ...key, linkedBy: maker.key.linkedBy } : key;
  const limits = { id, tokenId, keysMax: shortLivedKeysMax };
  const { isInserted, isMakerLive } = await insertMadeKey(db, row, projectIds, limits);
  if (!isMakerLive) throw replacedToken();
  if (!isInserted) throw tooMany();
  return { view: { key, maker: makerOf(maker), projectIds, showsTenant: others.length > 0 }, token };
}

const makerOf = ({ key, maker, levels }: Maker): KeyView['maker'] =>
  levels === undefined ? { kind: key.kind, name: key.name } : maker;

function assertNotWider({ key, levels = [] }: Maker, access: KeyLevel, projects: 'all' | string[]): void {
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
  const lower = levels.find(
    ({ projectId, level }) =>
      (projects === 'all' || projects.includes(projectId)) && !includesLevel(level, access),
  );
  if (lower) {
    throw new ApiError(
      'forbidden',
      `The field "access" is "${access}", but your role in the project ${lower.projectId} gives ${lower.level} access only: choose a lower level, or list other projects in "projects".`,
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
