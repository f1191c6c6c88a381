/**
 * The state of a sign-in that a browser keeps between start and end, sealed so that the browser can neither read nor change it. Nothing is
 * stored here before the provider's redirect: an unknown person must not be able to fill a table.
 */
import type { z } from 'zod';
import { signInAttemptMinutes } from '../../domain/access/identity-providers.ts';
import { ApiError } from '../../domain/errors.ts';
import { sha256Hex } from '../../security/api-token.ts';
import { toBase64Url } from '../../security/base64url.ts';
import { insertUsedSignIn } from '../../store/access/sign-in-store.ts';
import type { Dependencies } from '../dependencies.ts';

const minuteMs = 60_000;
const secretBytes = 32;

/** A secret of characters that are valid in URLs. */
export function randomSecret({ fillRandom }: Pick<Dependencies, 'fillRandom'>): string {
  const bytes = new Uint8Array(secretBytes);
  fillRandom(bytes);
  return toBase64Url(bytes);
}

/** Expiry of an attempt that starts now. */
export const attemptEnd = ({ now }: Pick<Dependencies, 'now'>): number =>
  now() + signInAttemptMinutes * minuteMs;

const placeOf = (use: string) => ({ table: 'sign_in_attempts', column: use, rowId: '' });

/** @param use separates the attempts of different ways to sign in */
export const sealAttempt = (
  { envelope }: Pick<Dependencies, 'envelope'>,
  use: string,
  attempt: { expiresAt: number },
) => envelope.sealForInstance(placeOf(use), JSON.stringify(attempt));

/** @throws ApiError `unauthenticated` if it was not sealed here for this use, or has expired */
export async function openAttempt<Attempt extends { expiresAt: number }>(
  { envelope, now }: Pick<Dependencies, 'envelope' | 'now'>,
  use: string,
  sealed: string,
  schema: z.ZodType<Attempt>,
): Promise<Attempt> {
  const attempt = await opened(envelope, use, sealed, schema);
  if (attempt && attempt.expiresAt > now()) return attempt;
  throw notHere();
}

/** Ends an attempt: it can be finished only once, with any result. @throws ApiError `unauthenticated` if it was finished before */
export async function endAttempt(
  { db }: Pick<Dependencies, 'db'>,
  { id, expiresAt }: { id: string; expiresAt: number },
): Promise<void> {
  if (await insertUsedSignIn(db, { id: await sha256Hex(id), expiresAt })) return;
  throw new ApiError('unauthenticated', 'This sign-in was used already: start again.');
}

/** The same answer for any missing or wrong part of an attempt. */
export const notHere = () =>
  new ApiError(
    'unauthenticated',
    `This sign-in was not started in this browser, or more than ${signInAttemptMinutes} minutes ago: start again.`,
  );

async function opened<Attempt>(
  envelope: Dependencies['envelope'],
  use: string,
  sealed: string,
  schema: z.ZodType<Attempt>,
): Promise<Attempt | undefined> {
  try {
    return schema.parse(JSON.parse(await envelope.openForInstance(placeOf(use), sealed)));
  } catch {
    return undefined;
  }
}
