/**
 * Secrets of the instance (credentials of providers), sealed for their row. They belong to no project, so they are sealed directly
 * under ENCRYPTION_KEY; the place binds each to its table, column and row.
 */
import type { z } from 'zod';
import { ApiError } from '../domain/errors.ts';
import type { SecretPlace } from '../security/secret-envelope.ts';
import type { Dependencies } from './dependencies.ts';

/** @param secret becomes JSON. @returns text for a `sealedText` column. */
export function sealInstanceSecret(
  { envelope }: Pick<Dependencies, 'envelope'>,
  place: SecretPlace,
  secret: unknown,
): Promise<string> {
  return envelope.sealForInstance(place, JSON.stringify(secret));
}

/**
 * Opens what `sealInstanceSecret` sealed.
 * @param owner whose secret it is, as users know it (`Cloudflare`); for the sentence of the refusal.
 * @throws ApiError `conflict` when it does not open or no longer has the form of this version: it is to be given again.
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
    // Without the cause: a message of zod or JSON.parse may quote what it read.
    console.error(`the stored credentials of ${owner} do not open`, cause instanceof Error ? cause.name : '');
    throw new ApiError(
      'conflict',
      `The stored credentials of ${owner} do not decrypt: connect it again in the system settings.`,
    );
  }
}
