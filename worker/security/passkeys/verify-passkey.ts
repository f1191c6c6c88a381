/**
 * Verifies signatures of passkeys with @simplewebauthn/server. The library is loaded when a passkey is used: with its certificate parsers it is
 * larger than most of the Worker's parts. Certificates of devices are not requested, and refused, so that no request can cause this code to load
 * revocation lists.
 */
import type { VerifiedRegistrationResponse } from '@simplewebauthn/server';
import { z } from 'zod';
import {
  type Assertion,
  type NewCredential,
  PasskeyFailure,
  type PasskeyPlace,
  passkeyAlgorithms,
} from '../../domain/access/passkeys.ts';
import { fromBase64Url, toBase64Url } from '../base64url.ts';

/** A new passkey as the device describes it. */
export interface NewPasskey {
  credentialId: string;
  publicKey: string;
  counter: number;
  canSync: boolean;
  isSynced: boolean;
}

/** @param challenge the client data's challenge, already checked @throws PasskeyFailure */
export async function verifyNewPasskey(
  { id, rawId, type, response }: NewCredential,
  challenge: string,
  place: PasskeyPlace,
): Promise<NewPasskey> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  await refuseCertificates(response.attestationObject);
  const { clientDataJSON, attestationObject } = response;
  const verified = await orNotValid<VerifiedRegistrationResponse>(() =>
    verifyRegistrationResponse({
      response: {
        ...{ id, rawId, type, clientExtensionResults: {} },
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin: place.origin,
      expectedRPID: place.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...passkeyAlgorithms],
    }),
  );
  if (!verified.verified) throw new PasskeyFailure('its signature is wrong');
  const { credential, credentialDeviceType, credentialBackedUp } = verified.registrationInfo;
  if (credential.id !== id) throw new PasskeyFailure('it names two passkeys');
  return {
    credentialId: credential.id,
    publicKey: toBase64Url(credential.publicKey),
    counter: credential.counter,
    canSync: credentialDeviceType === 'multiDevice',
    isSynced: credentialBackedUp,
  };
}

/** A passkey that was added earlier. */
export interface KnownPasskey {
  credentialId: string;
  publicKey: string;
  canSync: boolean;
}

/**
 * The counter is not compared here, because another sign-in may change it at the same time: the statement that writes it compares it
 * (store/sign-in-store).
 * @throws PasskeyFailure
 */
export async function verifyAssertion(
  { id, rawId, type, response }: Assertion,
  challenge: string,
  place: PasskeyPlace,
  known: KnownPasskey,
): Promise<{ counter: number; isSynced: boolean }> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await orNotValid(() =>
    verifyAuthenticationResponse({
      response: { id, rawId, type, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: place.origin,
      expectedRPID: place.rpId,
      requireUserVerification: true,
      credential: { id: known.credentialId, publicKey: fromBase64Url(known.publicKey), counter: 0 },
    }),
  );
  if (!verified) throw new PasskeyFailure('its signature is wrong');
  if ((authenticationInfo.credentialDeviceType === 'multiDevice') !== known.canSync)
    throw new PasskeyFailure('it was made by another kind of device than the one that was added');
  return { counter: authenticationInfo.newCounter, isSynced: authenticationInfo.credentialBackedUp };
}

const attestationSchema = z.object({ fmt: z.enum(['none', 'packed']), hasCertificates: z.literal(false) });

/** Accepts `none`, or a signature by the new key itself: the request demands nothing else, so browsers send nothing else. */
async function refuseCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const decoded = await orNotValid(async () => decodeAttestationObject(fromBase64Url(attestationObject)));
  const parts = await orNotValid(async () => ({
    fmt: decoded.get('fmt'),
    hasCertificates: decoded.get('attStmt').get('x5c') !== undefined,
  }));
  if (!attestationSchema.safeParse(parts).success)
    throw new PasskeyFailure('it was sent with certificates of the device, which were not asked for');
}

async function orNotValid<Result>(verify: () => Promise<Result>): Promise<Result> {
  try {
    return await verify();
  } catch (error) {
    throw new PasskeyFailure(reasonOf(error), { cause: error });
  }
}

/** The reason of an error, if the user can do something about it. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  if (/User verification/i.test(text))
    return 'the device has not verified you: set up a PIN, a fingerprint or a face there';
  if (/RP ID/.test(text)) return 'it belongs to another address';
  if (/public key alg/.test(text)) return 'its kind of key is not supported';
  return 'it is not valid';
}
