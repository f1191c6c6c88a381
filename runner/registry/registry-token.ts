/** Authorizes requests at registries (https://distribution.github.io/distribution/spec/auth/token/). */
import { getDomain } from 'tldts';
import { z } from 'zod';
import type { RegistryLogin } from '../../protocol/credentials.ts';
import { guardedGet, type RegistryGuard, readSmall } from './guarded-get.ts';
import { momentaryOf, RegistryError, saidToWait } from './registry-error.ts';

const tokenBytesMax = 2 ** 20;

const tokenSchema = z.union([
  z.object({ token: z.string().min(1) }).transform(({ token }) => token),
  z.object({ access_token: z.string().min(1) }).transform(({ access_token }) => access_token),
]);

export type Login = Pick<RegistryLogin, 'username' | 'password'>;

/**
 * Answers a 401: with the login itself (Basic), or with a token from a token server, with or without the login. The registry chooses the
 * token server's address, so it is checked like every other; it gets the login only if it belongs to the registry.
 * @param registry the origin of the challenge
 * @param challenge the `WWW-Authenticate` header
 * @param repository its path at the registry
 * @param now epoch milliseconds
 * @returns the `Authorization` header
 * @throws JobFailure `source_refused`; RegistryError
 */
export async function authorizationFor(
  guard: RegistryGuard,
  registry: URL,
  challenge: string,
  { repository, login, now }: { repository: string; login: Login | undefined; now: number },
): Promise<string> {
  const parameters = Object.fromEntries(
    [...challenge.matchAll(/([a-z_]+)="([^"]*)"/gi)].map(([, name = '', value = '']) => [name, value]),
  );
  if (login && /^basic\b/i.test(challenge)) return basic(login);
  const realm = /^bearer\s/i.test(challenge) ? URL.parse(parameters.realm ?? '') : null;
  if (!realm) throw new RegistryError('missing', 'unauthorized: the registry wants a login');
  if (login && !belongsTo(realm, registry))
    throw new RegistryError(
      'broken',
      `${registry.host} names ${realm.origin} as its token server: the login is not sent to another domain`,
    );
  if (parameters.service) realm.searchParams.set('service', parameters.service);
  realm.searchParams.set('scope', parameters.scope ?? `repository:${repository}:pull`);
  const answer = await guardedGet(guard, realm, {}, login && basic(login));
  const body = await readSmall(answer, tokenBytesMax, 'the token of the registry');
  const momentary = momentaryOf(answer, now);
  if (momentary) {
    const [trouble, said] =
      answer.status === 429
        ? (['limited', `toomanyrequests: ${realm.host} gives no more tokens for now`] as const)
        : (['unreachable', `${realm.host} answered ${answer.status}`] as const);
    throw new RegistryError(trouble, saidToWait(said, momentary), { momentary });
  }
  const token = answer.status === 200 ? tokenSchema.safeParse(jsonOf(body)) : undefined;
  if (token?.success) return `Bearer ${token.data}`;
  throw login
    ? new RegistryError('unauthorized', `${realm.host} answered ${answer.status} to the login`)
    : new RegistryError('missing', `unauthorized: ${realm.host} gives no anonymous token`);
}

const basic = ({ username, password }: Login) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** True for the same host, or one of the same registered domain over https: `auth.docker.io` for `registry-1.docker.io`. */
function belongsTo(realm: URL, registry: URL): boolean {
  if (realm.origin === registry.origin) return true;
  const isSafe = realm.protocol === 'https:' || registry.protocol === 'http:';
  if (!isSafe) return false;
  if (realm.hostname === registry.hostname) return true;
  const domain = getDomain(registry.hostname, { allowPrivateDomains: true });
  return domain !== null && getDomain(realm.hostname, { allowPrivateDomains: true }) === domain;
}

export function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
