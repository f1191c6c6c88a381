/** The first write key for all projects: made on the first run, found again after it. */
import { z } from 'zod';
import type { ApiClient } from './api-client.ts';

const createdKeySchema = z.object({ token: z.string() });

/** @param refused whether the control plane does not know a token: one of a control plane that was wiped is replaced. */
export async function ensureApiKey(
  operator: ApiClient,
  known: string | null,
  refused: (token: string) => Promise<boolean>,
): Promise<string> {
  if (known !== null && !(await refused(known))) return known;
  const body = { name: 'npm start', access: 'write', projects: 'all', expiresInDays: null };
  return (await operator.call('POST', '/api/system/keys', createdKeySchema, body)).token;
}
