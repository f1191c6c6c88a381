/** The first write key for all projects, and the link that signs a browser in with it. The first run creates the key; later runs reuse it. */
import { z } from 'zod';
import type { ApiClient } from './api-client.ts';

const createdKeySchema = z.object({ token: z.string() });

/**
 * @param refused whether the control plane refuses a token. Then the key is replaced: the control plane's data was deleted.
 * @param name of a key that is created
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
 * A link that signs one browser in to the dashboard, once, within 15 minutes: with the key, and as the operator. The two codes follow `#`.
 * @param url of the control plane @param key a client with the key
 */
export async function signInLink(url: string, key: ApiClient, operator: ApiClient): Promise<string> {
  const own = await key.call('POST', '/api/sign-in-links', linkSchema);
  const ofOperator = await operator.call('POST', '/api/system/sign-in-links', linkSchema);
  const [, operatorCode = ''] = ofOperator.link.path.split('#');
  return `${url}${own.link.path},${operatorCode}`;
}
