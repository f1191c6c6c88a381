/** Signs a member in with a passkey: the options for the browser, then the device's signature. */

import {
  type Assertion,
  orRefusedPasskey,
  type PasskeyPlace,
  passkeyChallengeMinutes,
} from '../../domain/access/passkeys.ts';
import { ApiError } from '../../domain/errors.ts';
import { challengeOf } from '../../security/passkeys/client-data.ts';
import { verifyAssertion } from '../../security/passkeys/verify-passkey.ts';
import { selectPasskeyByCredential } from '../../store/access/passkey-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { userHandleOf } from './add-passkey.ts';
import { newChallenge, openChallenge } from './passkey-challenges.ts';
import { type SignInCode, signInMember } from './sign-in-member.ts';

/** `PublicKeyCredentialRequestOptionsJSON`: lists no passkey, so that the device shows all that it has. */
export const passkeySignInOptions = async (deps: Dependencies, { rpId }: PasskeyPlace) => ({
  rpId,
  challenge: await newChallenge(deps, 'sign-in'),
  timeout: passkeyChallengeMinutes * 60_000,
  userVerification: 'required' as const,
});

/** The passkey and member that signed in, for the audit log. */
export interface PasskeyUse {
  passkeyId: string;
  memberId: string;
  tenantId: string;
}

/**
 * Verifies a device's signature. This only identifies the member; all rights are read from the member's row later.
 * @param recognised called when the passkey's member is certain, even if the sign-in is then refused
 * @throws ApiError `unauthenticated`
 */
export async function signInByPasskey(
  deps: Dependencies,
  place: PasskeyPlace,
  assertion: Assertion,
  recognised: (use: PasskeyUse) => void,
): Promise<SignInCode> {
  const { challenge, used } = await orRefusedPasskey('unauthenticated', async () => {
    const expected = { ...place, type: 'webauthn.get' as const };
    const answered = challengeOf(assertion.response.clientDataJSON, expected);
    return { challenge: answered, used: await openChallenge(deps, 'sign-in', answered) };
  });
  const [[found]] = await deps.db.batch([selectPasskeyByCredential(deps.db, assertion.id)]);
  if (!found || found.passkey.rpId !== place.rpId) throw unknown();
  const { passkey, tenantId } = found;
  if (assertion.response.userHandle !== userHandleOf(passkey.memberId)) throw unknown();
  const { counter, isSynced } = await orRefusedPasskey('unauthenticated', () =>
    verifyAssertion(assertion, challenge, place, passkey),
  );
  recognised({ passkeyId: passkey.id, memberId: passkey.memberId, tenantId });
  const use = { id: passkey.id, counter, isSynced };
  return signInMember(deps, { id: passkey.memberId, tenantId }, { used, passkey: use }, unknown);
}

const unknown = () =>
  new ApiError(
    'unauthenticated',
    'This passkey is not known here any more: sign in another way, and remove it from your device.',
  );
