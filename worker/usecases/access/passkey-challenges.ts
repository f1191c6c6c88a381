/**
 * Challenges that devices sign. Creating one stores nothing, because anybody can request it: it contains its expiry and a keyed hash by
 * which it is recognised. It is stored when it is used, in the same transaction as its effect, so that it is used only once.
 */
import { PasskeyFailure, passkeyChallengeMinutes } from '../../domain/access/passkeys.ts';
import { sha256Hex } from '../../security/api-token.ts';
import { fromBase64Url, toBase64Url } from '../../security/base64url.ts';
import type { Dependencies } from '../dependencies.ts';
import { randomSecret } from './attempts.ts';

const minuteMs = 60_000;

/** The purpose: to sign in, or to add a passkey in this session only. */
export type ChallengeUse = 'sign-in' | { sessionId: string };

const textOf = (use: ChallengeUse, secret: string, end: string) =>
  `${use === 'sign-in' ? use : `add ${use.sessionId}`}\n${secret}\n${end}`;

/** @returns base64url, the form for browsers */
export async function newChallenge(
  deps: Pick<Dependencies, 'fillRandom' | 'now' | 'fingerprint'>,
  use: ChallengeUse,
): Promise<string> {
  const secret = randomSecret(deps);
  const end = String(deps.now() + passkeyChallengeMinutes * minuteMs);
  const mark = await deps.fingerprint('passkey', textOf(use, secret, end));
  return toBase64Url(new Uint8Array(new TextEncoder().encode(`${secret}.${end}.${mark}`)));
}

/**
 * @returns the row that marks it as used @throws PasskeyFailure if it was not created here for this use, or has expired
 */
export async function openChallenge(
  deps: Pick<Dependencies, 'now' | 'isFingerprint'>,
  use: ChallengeUse,
  challenge: string,
): Promise<{ id: string; expiresAt: number }> {
  const [secret = '', end = '', mark = ''] = decoded(challenge).split('.');
  const expiresAt = Number(end);
  const isOwn = await deps.isFingerprint('passkey', textOf(use, secret, end), mark);
  if (!isOwn) throw new PasskeyFailure('its challenge was not made here for this: start again');
  if (expiresAt <= deps.now())
    throw new PasskeyFailure(`it was started more than ${passkeyChallengeMinutes} minutes ago: start again`);
  return { id: await sha256Hex(`${secret}.${end}`), expiresAt };
}

function decoded(challenge: string): string {
  try {
    return new TextDecoder().decode(fromBase64Url(challenge));
  } catch {
    return '';
  }
}
