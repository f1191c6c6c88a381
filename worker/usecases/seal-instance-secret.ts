/**
 * Secrets of the instance (credentials of providers), sealed for their rows. They belong to no project, so ENCRYPTION_KEY seals them
 * directly. The place binds each secret to its table, column and row.
 */
import type { z } from 'zod';
import { ApiError } from '../domain/errors.ts';
import type { SecretPlace } from '../security/secret-envelope.ts';
import type { Dependencies } from './dependencies.ts';

/** @param secret stored as JSON @returns text for a `sealedText` column */
export function sealInstanceSecret(
  { envelope }: Pick<Dependencies, 'envelope'>,
  place: SecretPlace,
  secret: unknown,
): Promise<string> {
  return envelope.sealForInstance(place, JSON.stringify(secret));
}

/**
 * Decrypts a secret of `sealInstanceSecret`.
 * @param owner name for the error message that users know (`Cloudflare`)
 * @throws ApiError `conflict` if it can't be decrypted or this version can't parse it, so it must be entered again
 */
export async function openInstanceSecret<Secret>(
  { envelope }: Pick<Dependencies, 'envelope'>,
  place: SecretPlace,
  sealed: string,
  schema: z.ZodType<Secret>,
  owner: string,
): Promise<Secret> {
  try {
    return schema.parse(JSON.parse(await envelope.openForInstance(place, sealed)));
  } catch (cause) {
    // The cause is not logged: messages of zod and JSON.parse can quote the secret.
    console.error(
      `The stored credentials of ${owner} could not be decrypted:`,
      cause instanceof Error ? cause.name : '',
    );
    throw new ApiError(
      'conflict',
      `The stored credentials of ${owner} can't be decrypted: enter them again in the system settings.`,
    );
  }
}
