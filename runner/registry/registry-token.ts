/** Anonymous tokens of registries (https://distribution.github.io/distribution/spec/auth/token/). */
import { z } from 'zod';
import { guardedGet, type RegistryGuard, readSmall } from './guarded-get.ts';
import { RegistryError } from './registry-error.ts';

const tokenBytesMax = 2 ** 20;

const tokenSchema = z.union([
  z.object({ token: z.string().min(1) }).transform(({ token }) => token),
  z.object({ access_token: z.string().min(1) }).transform(({ access_token }) => access_token),
]);

/**
 * Fetches the token that a 401 asks for. The realm is any address that the registry names, so it is judged like every other.
 * @param challenge the `WWW-Authenticate` header
 * @param repository its path at the registry
 * @throws JobFailure `source_refused`; RegistryError `missing` when the registry wants a login
 */
export async function anonymousToken(
  guard: RegistryGuard,
  challenge: string,
  repository: string,
): Promise<string> {
  const parameters = Object.fromEntries(
    [...challenge.matchAll(/([a-z_]+)="([^"]*)"/gi)].map(([, name = '', value = '']) => [name, value]),
  );
  const realm = /^bearer\s/i.test(challenge) ? URL.parse(parameters.realm ?? '') : null;
  if (!realm) throw new RegistryError('missing', 'unauthorized: the registry wants a login');
  if (parameters.service) realm.searchParams.set('service', parameters.service);
  realm.searchParams.set('scope', parameters.scope ?? `repository:${repository}:pull`);
  const answer = await guardedGet(guard, realm, {});
  const body = await readSmall(answer, tokenBytesMax, 'the token of the registry');
  if (answer.status === 429)
    throw new RegistryError('broken', `toomanyrequests: ${realm.host} gives no more tokens for now`);
  if (answer.status >= 500) throw new RegistryError('unreachable', `${realm.host} answered ${answer.status}`);
  const token = answer.status === 200 ? tokenSchema.safeParse(jsonOf(body)) : undefined;
  if (!token?.success)
    throw new RegistryError('missing', `unauthorized: ${realm.host} gives no anonymous token`);
  return token.data;
}

export function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
