/**
 * What a browser keeps between the start and the end of a sign-in, sealed so that it can neither read nor change it. Nothing is stored here
 * until it comes back from the provider: who is nobody yet must not be able to fill a table.
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

/** A secret that nobody can guess, in characters of URLs. */
export function randomSecret({ fillRandom }: Pick<Dependencies, 'fillRandom'>): string {
  const bytes = new Uint8Array(secretBytes);
  fillRandom(bytes);
  return toBase64Url(bytes);
}

/** When an attempt that starts now ends. */
export const attemptEnd = ({ now }: Pick<Dependencies, 'now'>): number =>
  now() + signInAttemptMinutes * minuteMs;

const placeOf = (use: string) => ({ table: 'sign_in_attempts', column: use, rowId: '' });

/** @param use keeps apart what is sealed for different ways to sign in */
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

/** Ends an attempt: it is finished once, with whatever result. @throws ApiError `unauthenticated` if it was before */
export async function endAttempt(
  { db }: Pick<Dependencies, 'db'>,
  { id, expiresAt }: { id: string; expiresAt: number },
): Promise<void> {
  if (await insertUsedSignIn(db, { id: await sha256Hex(id), expiresAt })) return;
  throw new ApiError('unauthenticated', 'This sign-in was used already: start again.');
}

/** The same answer, whatever part of an attempt is missing or wrong. */
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
