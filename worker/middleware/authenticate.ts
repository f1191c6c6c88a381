/**
 * Who calls, may they, and does what they name exist for them: one round trip to D1 (the key's row and the scoped resource in one
 * batch), so a revoked key is refused at once. The order of refusals gives nothing away: 401, then 403 by level alone, then 404.
 */
import type { ApiKeyRow, PathParameters } from '../api/resources.ts';
import type { AnyRoute, Principal } from '../api/route.ts';
import { ApiError } from '../domain/errors.ts';
import { type PresentedToken, provesToken, readToken } from '../security/api-token.ts';
import { selectKeyByTokenId } from '../store/scoped-store.ts';
import type { Dependencies } from '../usecases/dependencies.ts';

export interface Admission {
  principal: Principal;
  /** What the route's loader found; undefined for routes without one. */
  resource: unknown;
  /** The key that was used; undefined for the operator and public routes. */
  key?: ApiKeyRow;
}

/**
 * Admits a request to a route.
 * @throws ApiError `unauthenticated`, `forbidden` or `not_found`.
 */
export async function authenticate(
  route: AnyRoute,
  authorization: string | undefined,
  params: PathParameters,
  deps: Dependencies,
): Promise<Admission> {
  if (route.access === 'public') return { principal: { kind: 'public' }, resource: undefined };
  const token = bearerToken(authorization);
  if (route.access === 'operator') return admitOperator(route, token, params, deps);
  return admitKey(route, token, params, deps);
}

async function admitOperator(
  route: AnyRoute,
  token: string,
  params: PathParameters,
  deps: Dependencies,
): Promise<Admission> {
  if (!(await deps.isOperatorToken(token))) {
    await proveKey(token, null, deps);
    throw new ApiError('forbidden', 'This route needs the operator token: an API key does not open it.');
  }
  const principal: Principal = { kind: 'operator' };
  if (!route.resource) return { principal, resource: undefined };
  const [[resource]] = await deps.db.batch([route.resource.select(deps.db, '', params)]);
  return { principal, resource: found(route, resource) };
}

async function admitKey(
  route: AnyRoute,
  token: string,
  params: PathParameters,
  deps: Dependencies,
): Promise<Admission> {
  const { key, resource } = await proveKey(token, { route, params }, deps);
  if (route.access === 'write' && key.access !== 'write') {
    throw new ApiError('forbidden', 'This key only reads: the request needs a key with write access.');
  }
  if (route.onlyAllProjects && !key.allProjects) {
    throw new ApiError(
      'forbidden',
      'This key is limited to chosen projects: the request needs a key for all projects.',
    );
  }
  const { id: keyId, tenantId, access, allProjects } = key;
  return {
    key,
    principal: { kind: 'key', keyId, tenantId, access, allProjects },
    resource: route.resource && found(route, resource),
  };
}

/** Finds the key and, in the same batch, the resource; then proves the token. */
async function proveKey(
  token: string,
  wanted: { route: AnyRoute; params: PathParameters } | null,
  { db, now }: Dependencies,
): Promise<{ key: ApiKeyRow; resource: unknown }> {
  const presented = readToken(token);
  if (!presented) throw unauthenticated();
  const keyStatement = selectKeyByTokenId(db, presented.tokenId);
  const loader = wanted?.route.resource;
  const [keys, resources] = loader
    ? await db.batch([keyStatement, loader.select(db, presented.tokenId, wanted.params)])
    : [await keyStatement, []];
  const key = keys[0];
  const proven = await provesToken(presented, key ? liveHash(key, presented, now()) : null);
  if (!key || !proven) throw unauthenticated();
  return { key, resource: resources[0] };
}

/** The hash that the presented token must have; null when the key, or this token of it, is no longer valid. */
function liveHash(key: ApiKeyRow, presented: PresentedToken, now: number): string | null {
  if (key.revokedAt !== null) return null;
  if (key.expiresAt !== null && key.expiresAt <= now) return null;
  if (presented.tokenId === key.tokenId) return key.secretHash;
  return key.previousUntil !== null && key.previousUntil > now ? key.previousSecretHash : null;
}

/** RFC 6750, section 2.1; the scheme's name is case-insensitive (RFC 9110, section 11.1). */
function bearerToken(authorization: string | undefined): string {
  const [, token] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '') ?? [];
  if (token === undefined) throw unauthenticated();
  return token;
}

function found<Resource>(route: AnyRoute, resource: Resource | undefined): Resource {
  if (resource !== undefined) return resource;
  throw new ApiError('not_found', `This ${route.resource?.name} does not exist, or this key can't see it.`);
}

/** One and the same answer for missing, malformed, unknown, expired and revoked. */
function unauthenticated(): ApiError {
  return new ApiError(
    'unauthenticated',
    'A valid API key is needed: send it as "Authorization: Bearer <key>".',
  );
}
