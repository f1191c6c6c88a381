/** Enrolment of a host with a one-time token. */

import type { EnrolRequest } from '../../../protocol/enrolment.ts';
import { ApiError } from '../../domain/errors.ts';
import { assertNewEnough } from '../../domain/hosts/minimum-runner.ts';
import { sha256Hex } from '../../security/api-token.ts';
import { toBase64Url } from '../../security/base64url.ts';
import {
  insertEnrolmentToken,
  redeemEnrolmentToken,
  tenantExists,
} from '../../store/hosts/enrolment-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { recordHostChange } from './hosts.ts';

/** Time to run the command on the host. */
const enrolmentTokenLifeMs = 15 * 60_000;
/** A host that lost the response repeats the request with the same token; after this time the host has certainly given up. */
const tokenMemoryMs = 24 * 3_600_000;
const tokenBytes = 32;
/** Lets secret scanners recognise the kind of token. */
const tokenPrefix = 'lse_';

/**
 * Creates a token that enrols one runner, once. Only its hash is stored, so it can't be shown again.
 * @param options.shared whether the host will serve all tenants as soon as it reports that it isolates them; nothing is known about it yet
 * @throws ApiError `invalid_request` if the tenant does not exist
 */
export async function createEnrolmentToken(
  { db, now, fillRandom }: Pick<Dependencies, 'db' | 'now' | 'fillRandom'>,
  options: { name: string | null; tenantId: string; shared: boolean },
): Promise<{ token: string; expiresAt: number }> {
  const { tenantId } = options;
  if (!(await tenantExists(db, tenantId))) {
    throw new ApiError('invalid_request', 'The field "tenantId" is not the id of a tenant.');
  }
  const secret = new Uint8Array(tokenBytes);
  fillRandom(secret);
  const token = tokenPrefix + toBase64Url(secret);
  const createdAt = now();
  const expiresAt = createdAt + enrolmentTokenLifeMs;
  const row = { tokenHash: await sha256Hex(token), ...options, createdAt, expiresAt };
  await insertEnrolmentToken(db, row, createdAt - tokenMemoryMs);
  return { token, expiresAt };
}

/**
 * Enrols a runner with a valid token. A repeat of the same request returns the same runner.
 * @returns the runner's id
 * @throws ApiError `conflict` for a runner that is too old; `unauthenticated` if the token is unknown, expired or used
 */
export async function enrolRunner(
  deps: Pick<Dependencies, 'db' | 'fingerprint' | 'now' | 'newId' | 'initiator'>,
  { token, name, identityKey, sealingKey, facts }: EnrolRequest,
  requestId: string,
): Promise<string> {
  assertNewEnough(facts);
  const { db, now, newId } = deps;
  const runner = { id: newId('runner'), name, identityKey, sealingKey, facts, createdAt: now() };
  const enrolled = await redeemEnrolmentToken(db, await sha256Hex(token), runner);
  if (enrolled === undefined) {
    throw new ApiError(
      'unauthenticated',
      'The enrolment token is unknown, used or older than 15 min: create a new one with POST /api/system/runners.',
    );
  }
  const { id, isNew, shared } = enrolled;
  if (isNew && shared)
    await recordHostChange(deps, { runnerId: id, route: 'host.shared', actor: id, requestId });
  return id;
}
