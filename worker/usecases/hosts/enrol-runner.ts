import type { EnrolRequest } from '../../../protocol/enrolment.ts';
import { ApiError } from '../../domain/errors.ts';
import { sha256Hex } from '../../security/api-token.ts';
import { redeemEnrolmentToken } from '../../store/enrolment-store.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Enrols a runner with a valid token. A repeat of the same request returns the same runner.
 * @returns the runner's id
 * @throws ApiError `unauthenticated` if the token is unknown, expired or used
 */
export async function enrolRunner(
  { db, now, newId }: Pick<Dependencies, 'db' | 'now' | 'newId'>,
  { token, name, identityKey, sealingKey, facts }: EnrolRequest,
): Promise<string> {
  const runner = { id: newId('runner'), name, identityKey, sealingKey, facts, createdAt: now() };
  const runnerId = await redeemEnrolmentToken(db, await sha256Hex(token), runner);
  if (runnerId === undefined) {
    throw new ApiError(
      'unauthenticated',
      'The enrolment token is unknown, used or older than 15 min: create a new one with POST /api/system/runners.',
    );
  }
  return runnerId;
}
