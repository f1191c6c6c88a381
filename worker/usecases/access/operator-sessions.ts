/** Sessions of the operator's browsers: opened by the operator token or a sign-in link, for operator routes only. */

import {
  operatorSessionHours,
  operatorSessionsMax,
  signInLinkMinutes,
  signInLinksMax,
} from '../../domain/access/key-levels.ts';
import { ApiError } from '../../domain/errors.ts';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { issueToken } from '../../security/api-token.ts';
import type { ApiKeyRow } from '../../store/access/api-key-store.ts';
import { insertOperatorRow } from '../../store/access/operator-session-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { newKeyRow } from './api-keys.ts';
import type { OpenedSession } from './sessions.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

/**
 * Opens a session. A link is used up.
 * @param linkId the link that permits it; null for the operator token
 * @param name by which the operator will recognise the browser
 * @throws ApiError `unauthenticated` if the link has been used up since
 */
export async function openOperatorSession(
  deps: Dependencies,
  linkId: string | null,
  name: string,
): Promise<OpenedSession> {
  const { row, token } = await insertedRow(deps, linkId, {
    ...{ kind: 'operator', name, rowsMax: operatorSessionsMax, lifeMs: operatorSessionHours * hourMs },
  });
  return { session: row, token, proof: await deps.operatorProofs.proofOf(row.id) };
}

/** Creates a sign-in link. Its code opens one session. */
export async function makeOperatorLink(deps: Dependencies): Promise<{ code: string; expiresAt: number }> {
  const { row, token } = await insertedRow(deps, null, {
    ...{ kind: 'operator-link', name: 'Sign-in link', rowsMax: signInLinksMax },
    lifeMs: signInLinkMinutes * minuteMs,
  });
  return { code: token, expiresAt: row.expiresAt };
}

interface Wanted {
  kind: 'operator' | 'operator-link';
  name: string;
  rowsMax: number;
  lifeMs: number;
}

/** The row belongs to the default tenant, because every row has one. It sees no project of it. */
async function insertedRow(
  { db, newId, now, fillRandom, cell }: Dependencies,
  linkId: string | null,
  { kind, name, rowsMax, lifeMs }: Wanted,
): Promise<{ row: ApiKeyRow & { expiresAt: number }; token: string }> {
  const { token, record } = await issueToken(fillRandom, cell);
  const createdAt = now();
  const expiresAt = createdAt + lifeMs;
  const row = newKeyRow({
    ...{ id: newId('key'), kind, tenantId: defaultTenantId, name, access: 'read', allProjects: false },
    ...{ ...record, madeBy: null, createdAt, expiresAt },
  });
  if (await insertOperatorRow(db, row, { linkId, rowsMax })) return { row: { ...row, expiresAt }, token };
  throw new ApiError('unauthenticated', 'This sign-in link was used already: make a new one.');
}
