/** The first write key for all projects, and what signs a browser in with it. The first run creates the key; later runs reuse it. */
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

const linkSchema = z.object({ link: z.object({ path: z.string() }) });

/**
 * A link that signs one browser in to the dashboard, once, within 15 minutes.
 * @param url of the control plane @param client with a key
 */
export async function signInLink(url: string, client: ApiClient): Promise<string> {
  const { link } = await client.call('POST', '/api/sign-in-links', linkSchema);
  return `${url}${link.path}`;
}
