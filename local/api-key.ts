/** The first write key for all projects. The first run creates it; later runs reuse it. */
import { z } from 'zod';
import type { ApiClient } from './api-client.ts';

const createdKeySchema = z.object({ token: z.string() });

/**
 * @param refused whether the control plane refuses a token. Then the key is replaced: the control plane's data was deleted.
 * @param name of a key that is made now
 */
export async function ensureApiKey(
  operator: ApiClient,
  known: string | null,
  refused: (token: string) => Promise<boolean>,
  name: string,
): Promise<string> {
  if (known !== null && !(await refused(known))) return known;
  const body = { name, access: 'write', projects: 'all', expiresInDays: null };
  return (await operator.call('POST', '/api/system/keys', createdKeySchema, body)).token;
}
