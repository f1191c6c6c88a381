/** Sessions of browsers and command lines: created by a key or a sign-in link, with the rights of that key, and ended with it. */

import { deviceCodeMinutes } from '../../domain/access/devices.ts';
import {
  sessionDays,
  sessionsMax,
  signInLinkMinutes,
  signInLinksMax,
} from '../../domain/access/key-levels.ts';
import { ApiError } from '../../domain/errors.ts';
import { issueToken } from '../../security/api-token.ts';
import { type ApiKeyRow, updateKey } from '../../store/access/api-key-store.ts';
import { insertMade } from '../../store/access/session-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { type KeyView, newKeyRow } from './api-keys.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** The key that signs in, or the sign-in link, found by its current token. */
export type Permitting = Omit<KeyView, 'showsTenant'>;

export interface OpenedSession {
  session: ApiKeyRow;
  /** Token for the cookie. */
  token: string;
  /** Proof for the page: a cookie is also sent to other ports of its host, but only pages of this origin know the proof. */
  proof: string;
}

/**
 * Opens a session. A link is used up.
 * @param permit undefined if the caller used the token before the last rotation
 * @param name by which the person will recognise the browser
 * @throws ApiError `unauthenticated` if its permit has ended since
 */
export async function openSession(
  deps: Dependencies,
  permit: Permitting | undefined,
  name: string,
): Promise<OpenedSession> {
  const { row, token } = await insertedRow(deps, permit, {
    ...{ kind: 'session', name, rowsMax: sessionsMax },
    lifeMs: sessionDays * dayMs,
  });
  return { session: row, token, proof: await deps.fingerprint('session', row.id) };
}

/** Creates a sign-in link. Its code opens one session. @throws as openSession */
export async function makeSignInLink(
  deps: Dependencies,
  permit: Permitting | undefined,
): Promise<{ code: string; expiresAt: number }> {
  const lifeMs = signInLinkMinutes * minuteMs;
  const wanted = { kind: 'link', name: 'Sign-in link', rowsMax: signInLinksMax, lifeMs } as const;
  const { row, token } = await insertedRow(deps, permit, wanted);
  return { code: token, expiresAt: row.expiresAt };
}

/**
 * Opens the session of a command line. Nobody has its token yet, and it ends with the wait of the device, which renews it (exchange-device-token).
 * @param permit the member's browser @throws as openSession
 */
export async function openDeviceSession(
  deps: Dependencies,
  permit: Permitting | undefined,
  name: string,
): Promise<ApiKeyRow> {
  const lifeMs = deviceCodeMinutes * minuteMs;
  return (await insertedRow(deps, permit, { kind: 'command-line', name, rowsMax: sessionsMax, lifeMs })).row;
}

interface Wanted {
  kind: 'session' | 'command-line' | 'link';
  name: string;
  rowsMax: number;
  lifeMs: number;
}

async function insertedRow(
  { db, newId, now, fillRandom, cell }: Dependencies,
  permit: Permitting | undefined,
  { kind, name, rowsMax, lifeMs }: Wanted,
) {
  if (!permit) throw ended();
  const { id, tokenId, tenantId, access, allProjects, madeBy } = permit.key;
  const { token, record } = await issueToken(fillRandom, cell);
  const createdAt = now();
  const row = newKeyRow({
    ...{ id: newId('key'), kind, tenantId, name, access, allProjects, ...record },
    ...{ madeBy: madeBy ?? id, createdAt, expiresAt: createdAt + lifeMs },
  });
  const inherited = await insertMade(db, row, { permit: { id, tokenId }, rowsMax });
  if (inherited === undefined) throw ended();
  return { row: { ...row, ...inherited }, token };
}

export async function endSession(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  sessionId: string,
): Promise<void> {
  await updateKey(db, sessionId, { revokedAt: now() });
}

const ended = () =>
  new ApiError('unauthenticated', 'This key or sign-in link has ended or was replaced: use a newer one.');
