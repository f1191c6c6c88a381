/** A member with a session adds a passkey: the options for the browser, then the device's new passkey. */

import {
  type NewCredential,
  orRefusedPasskey,
  type PasskeyPlace,
  passkeyAlgorithms,
  passkeyChallengeMinutes,
  passkeysMax,
} from '../../domain/access/passkeys.ts';
import { ApiError } from '../../domain/errors.ts';
import { toBase64Url } from '../../security/base64url.ts';
import { challengeOf } from '../../security/passkeys/client-data.ts';
import { verifyNewPasskey } from '../../security/passkeys/verify-passkey.ts';
import { insertPasskey, type PasskeyRow } from '../../store/access/passkey-store.ts';
import { usedColumn } from '../../store/access/sign-in-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { newChallenge, openChallenge } from './passkey-challenges.ts';

/** The member whose session calls. */
export interface PasskeyOwner {
  id: string;
  name: string;
  email: string;
  sessionId: string;
}

/** The name by which a device knows the member: the id, which reveals nothing about the person. */
export const userHandleOf = (memberId: string): string =>
  toBase64Url(new Uint8Array(new TextEncoder().encode(memberId)));

/**
 * `PublicKeyCredentialCreationOptionsJSON`: a passkey that its device can find without an id, and for which it verifies the person.
 * @throws ApiError `quota_exceeded`
 */
export async function newPasskeyOptions(
  deps: Dependencies,
  { id, name, email, sessionId }: PasskeyOwner,
  { rpId }: PasskeyPlace,
  known: readonly PasskeyRow[],
) {
  if (known.length >= passkeysMax) throw full();
  return {
    rp: { id: rpId, name: 'Longshore' },
    user: { id: userHandleOf(id), name: email, displayName: name },
    challenge: await newChallenge(deps, { sessionId }),
    pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: passkeyChallengeMinutes * 60_000,
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      ...{ id: credentialId, type: 'public-key' as const, transports },
    })),
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true,
      userVerification: 'required' as const,
    },
    attestation: 'none' as const,
  };
}

/**
 * Adds the device's new passkey.
 * @throws ApiError `invalid_request` with the reason; `conflict` if it was already added; `quota_exceeded`
 */
export async function addPasskey(
  deps: Dependencies,
  { id: memberId, sessionId }: Pick<PasskeyOwner, 'id' | 'sessionId'>,
  place: PasskeyPlace,
  { name, credential }: { name: string; credential: NewCredential },
): Promise<PasskeyRow> {
  const { used, made } = await orRefusedPasskey('invalid_request', async () => {
    const challenge = challengeOf(credential.response.clientDataJSON, { ...place, type: 'webauthn.create' });
    return {
      used: await openChallenge(deps, { sessionId }, challenge),
      made: await verifyNewPasskey(credential, challenge, place),
    };
  });
  const { transports } = credential.response;
  const row: PasskeyRow = {
    ...{ id: deps.newId('passkey'), memberId, name, rpId: place.rpId, transports, ...made },
    ...{ linkedBy: null, createdAt: deps.now(), lastUsedAt: null },
  };
  try {
    const end = await insertPasskey(deps.db, row, { used, sessionId, passkeysMax });
    if (end === 'inserted') return row;
    if (end === 'ended') throw sessionEnded();
  } catch (error) {
    if (violates(error, 'UNIQUE', usedColumn)) throw usedAlready();
    if (violates(error, 'UNIQUE', 'passkeys.credential_id')) throw known();
    if (violates(error, 'FOREIGN KEY')) throw noMember();
    throw error;
  }
  throw full();
}

const usedAlready = () =>
  new ApiError('conflict', 'The field "credential" answers a challenge that was used already: start again.');

const known = () => new ApiError('conflict', 'The field "credential" is a passkey that was added already.');

const noMember = () => new ApiError('forbidden', 'You are no longer a member here.');

const sessionEnded = () => new ApiError('conflict', 'Your session has ended meanwhile: sign in again.');

const full = () =>
  new ApiError('quota_exceeded', `A member has at most ${passkeysMax} passkeys: remove one first.`);
