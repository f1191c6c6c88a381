/** The end of every way to sign in: a link of the member, which opens one session. */

import { signInCodeMinutes } from '../../domain/access/identity-providers.ts';
import { membersMax } from '../../domain/access/members.ts';
import { ApiError } from '../../domain/errors.ts';
import { issueToken } from '../../security/api-token.ts';
import {
  counterColumn,
  fullColumn,
  insertSignIn,
  otherIdentityColumn,
  type SignInWrites,
  usedColumn,
} from '../../store/access/sign-in-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { newKeyRow } from './api-keys.ts';

const minuteMs = 60_000;

/** The code of a sign-in link, which opens one session. */
export interface SignInCode {
  code: string;
  expiresAt: number;
}

/**
 * Creates the link that signs a member in.
 * @param removed the error if the member or the passkey has been removed since
 * @throws ApiError `unauthenticated` if the proof was already used; `forbidden`; `quota_exceeded`
 */
export async function signInMember(
  deps: Dependencies,
  member: { id: string; tenantId: string },
  writes: Omit<SignInWrites, 'link'>,
  removed: () => ApiError,
): Promise<SignInCode> {
  const { token, record } = await issueToken(deps.fillRandom, deps.cell);
  const createdAt = deps.now();
  const expiresAt = createdAt + signInCodeMinutes * minuteMs;
  const link = newKeyRow({
    ...{ id: deps.newId('key'), kind: 'link', tenantId: member.tenantId, name: 'Sign-in link', ...record },
    // Its session gets the rights that the member has when it opens (store/session-store).
    ...{ access: 'read', allProjects: false, madeBy: member.id, createdAt, expiresAt },
  });
  try {
    if (await insertSignIn(deps.db, { ...writes, link })) return { code: token, expiresAt };
  } catch (error) {
    if (violates(error, 'UNIQUE', usedColumn)) throw used();
    if (violates(error, 'NOT NULL', counterColumn)) throw counterBack();
    if (violates(error, 'UNIQUE', otherIdentityColumn)) throw otherIdentity();
    if (violates(error, 'NOT NULL', fullColumn)) throw full();
    if (!violates(error, 'FOREIGN KEY')) throw error;
  }
  throw removed();
}

const used = () => new ApiError('unauthenticated', 'This sign-in was used already: start again.');

const counterBack = () =>
  new ApiError(
    'unauthenticated',
    'This passkey counts fewer signatures than before, so a copy of it may be in use: sign in another way, remove it and add a new one.',
  );

const otherIdentity = () =>
  new ApiError(
    'forbidden',
    'The member with this address signs in at this provider as somebody else, or has removed this way to sign in. If that is you, sign in another way and add this account in the settings; otherwise ask an owner to remove the member and to invite you.',
  );

const full = () =>
  new ApiError('quota_exceeded', `A tenant has at most ${membersMax} members: ask an owner to remove one.`);
