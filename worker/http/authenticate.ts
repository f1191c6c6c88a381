/**
 * Authenticates and authorises a request in one round trip to D1: the key's row, the scoped resource and the route's own statements
 * run in one batch, so a revoked key is refused immediately. `identify` verifies the caller, then `admit` authorises it; no row is used before
 * both have finished. The order of refusals reveals nothing: 401, then 403 by access level, then 404.
 */

import type { KeyKind } from '../domain/access/key-levels.ts';
import type { MemberRole } from '../domain/access/members.ts';
import { ApiError, absent } from '../domain/errors.ts';
import { isValidToken, readToken } from '../security/api-token.ts';
import type { ApiKeyRow } from '../store/access/api-key-store.ts';
import { selectRoleByTokenId } from '../store/access/member-store.ts';
import { selectProjectLevels } from '../store/projects/project-level-store.ts';
import { readTogether, type Statements } from '../store/sql/read-together.ts';
import { selectKeyByTokenId } from '../store/sql/scoped-store.ts';
import { initiatorOfKey } from '../usecases/access/initiator-of-key.ts';
import { liveHash } from '../usecases/access/live-hash.ts';
import { recordKeyUse } from '../usecases/access/record-key-use.ts';
import { readLimitedBytes } from './limits/body-limit.ts';
import type { Attempt } from './limits/sign-in-limit.ts';
import type { Principal, SignatureCheck } from './route.ts';
import { bearerToken, unauthenticated } from './sessions/bearer-token.ts';
import {
  assertLasting,
  assertLevel,
  assertMember,
  isForMembers,
  levelOfRequest,
} from './sessions/level-of-request.ts';
import { type PresentedSession, presentedSession } from './sessions/session-cookie.ts';
import type { Visit } from './visit.ts';

/** Body limit of a signed request to a resource without a verified request so far. */
const unverifiedLimitBytes = 1024 * 1024;

/** A verified caller; `admit` decides whether the request is allowed. */
export interface Caller {
  principal: Principal;
  /** The caller's key; undefined for other callers. */
  key?: ApiKeyRow;
  /** Only on routes for members or owners: the role, if the key is a member's session. */
  role?: MemberRole | undefined;
  /** Whether the principal's level is the level of a role in the resource's project. */
  levelIsOfProject?: boolean;
  /** Only for signed requests: the body that the signature covers. */
  signedBody?: Uint8Array<ArrayBuffer>;
  found: Found;
}

export interface Found {
  /** Undefined for routes without a resource, and if the caller may not see the resource or it does not exist. */
  resource: unknown;
  /** Results of the route's own statements (`reads`). */
  read: unknown;
}

/** The route's own statements, given the public part of the caller's token. */
export type OwnReads = (tokenId: string) => Statements<unknown>;

/**
 * Verifies the caller. Failures count against the client's address.
 * @throws ApiError `unauthenticated` or `rate_limited`.
 */
export async function identify(visit: Visit, reads: OwnReads): Promise<Caller> {
  const { route, deps } = visit;
  if (route.access === 'public') {
    return { principal: { kind: 'public' }, found: { resource: undefined, read: undefined } };
  }
  if (route.signature) return identifySigned(visit, route.signature);
  const authorization = visit.request.headers.get('authorization');
  if (authorization === null) {
    const asOperator = route.access === 'operator' && presentedSession(visit.request, 'operator');
    return asOperator ? identifyOperatorSession(visit, asOperator, reads) : identifySession(visit, reads);
  }
  const token = bearerToken(authorization);
  const takesOperator = route.access === 'operator' || route.takesOperator;
  if (takesOperator && (await deps.isOperatorToken(token))) {
    return { principal: { kind: 'operator' }, found: await findForOperator(visit, reads) };
  }
  const link: KeyKind = route.access === 'operator' ? 'operator-link' : 'link';
  const kinds: KeyKind[] = ['key', 'command-line', ...(route.takesLinks ? [link] : [])];
  const caller = await identifyKey(visit, { token, kinds }, reads);
  return caller.key?.kind === 'operator-link' ? asOperator(visit, caller.key, reads) : caller;
}

/** Identifies the operator's browser, like identifySession for a key's. The row has no rights: only its kind matters, on operator routes only. */
async function identifyOperatorSession(
  visit: Visit,
  { token, proof }: PresentedSession,
  reads: OwnReads,
): Promise<Caller> {
  const { key } = await identifyKey(visit, { token, kinds: ['operator'] }, reads);
  if (!key || !(await visit.deps.operatorProofs.isProof(key.id, proof))) throw unauthenticated();
  const noting = recordKeyUse(visit.deps, key);
  if (noting) visit.waitUntil(noting);
  return asOperator(visit, key, reads);
}

/** @param row row of the session or link that represents the operator token */
async function asOperator(visit: Visit, row: ApiKeyRow, reads: OwnReads): Promise<Caller> {
  return { principal: { kind: 'operator', row }, found: await findForOperator(visit, reads) };
}

/**
 * Identifies the browser by its session's cookie. The cookie alone is not enough: browsers also send it for pages of other ports of this
 * host. Only pages of this origin know the proof (session-cookie).
 */
async function identifySession(visit: Visit, reads: OwnReads): Promise<Caller> {
  const presented = presentedSession(visit.request, 'session');
  if (!presented) throw unauthenticated();
  const caller = await identifyKey(visit, { token: presented.token, kinds: ['session'] }, reads);
  const isProven = await visit.deps.isFingerprint('session', caller.key?.id ?? '', presented.proof);
  if (!isProven) throw unauthenticated();
  return caller;
}

/**
 * Authorises the caller and returns the rows that were read.
 * @throws ApiError `forbidden` or `not_found`.
 */
export function admit(
  { route }: Pick<Visit, 'route'>,
  { principal, key, role, levelIsOfProject, found }: Caller,
): Found {
  if (route.access === 'operator' && principal.kind !== 'operator') {
    throw new ApiError('forbidden', 'This route needs the operator token; an API key is not enough.');
  }
  if (principal.kind === 'key') {
    const isMember = principal.initiator.type === 'member';
    assertLevel(route.access, principal.access, { isOfProject: levelIsOfProject ?? false, isMember });
  }
  if (isForMembers(route)) assertMember(route, role, key?.kind);
  if (route.onlyAllProjects && !key?.allProjects) {
    throw new ApiError(
      'forbidden',
      'This key is limited to some projects: the request needs a key for all projects.',
    );
  }
  assertLasting(route, principal, { ...(key ? { key } : {}), role });
  if (route.resource && found.resource === undefined) throw absent(route.resource.name);
  return found;
}

async function findForOperator({ route, params, deps: { db } }: Visit, reads: OwnReads): Promise<Found> {
  const named: Statements<{ resources?: unknown[] }> = route.resource
    ? { resources: route.resource.select(db, '', params) }
    : {};
  const [{ resources }, read] = await readTogether(db, named, reads(''));
  return { resource: resources?.[0], read };
}

/** Reads the key and the requested resource in one batch, then verifies the token. On an operator route a key is verified but reads nothing. */
async function identifyKey(
  visit: Visit,
  { token, kinds }: { token: string; kinds: readonly KeyKind[] },
  reads: OwnReads,
): Promise<Caller> {
  const { route, params, deps, memory } = visit;
  const { db } = deps;
  const now = deps.now();
  const presented = readToken(token);
  if (!presented) throw unauthenticated();
  const { tokenId } = presented;
  memory.signIns.assertMayLookUp(tokenId, attemptOf(visit, now));
  const isOwn = route.access !== 'operator';
  const [first, read] = await readTogether(
    db,
    {
      keys: selectKeyByTokenId(db, tokenId),
      ...(isOwn && route.resource ? { resources: route.resource.select(db, tokenId, params) } : {}),
      ...(isForMembers(route) || route.takesOwners || route.takesBrowsers
        ? { members: selectRoleByTokenId(db, tokenId) }
        : {}),
      // Only members have levels in projects.
      ...(isOwn ? { levels: selectProjectLevels(db, tokenId) } : {}),
      ...memory.settings.statements(db, now),
    },
    isOwn ? reads(tokenId) : {},
  );
  memory.settings.learn(first.settings, now);
  const [key] = first.keys;
  const verified = await isValidToken(presented, key ? liveHash(key, presented, now) : null);
  const isStale = key?.tokenUntil != null && key.tokenUntil <= now;
  if (!key || !verified || isStale || !kinds.includes(key.kind)) throw unauthenticated();
  memory.signIns.trust(tokenId, now);
  const { madeBy, tenantId, allProjects } = key;
  const resource = first.resources?.[0];
  const ownLevels = first.levels ?? [];
  const held = levelOfRequest(isOwn ? route : {}, key.access, ownLevels, resource);
  // A link acts as the key that created it, so that the audit log shows whose session it opened.
  const keyId = (key.kind === 'link' && madeBy) || key.id;
  return {
    ...{ key, role: first.members?.[0]?.role, levelIsOfProject: held.isOfProject ?? false },
    principal: {
      ...{
        kind: 'key',
        keyId,
        initiator: initiatorOfKey(key),
        tokenId,
        countedAs: madeBy ?? keyId,
        tenantId,
      },
      allProjects,
      ...{ access: held.level, baseAccess: key.access, ownLevels },
    },
    found: { resource, read },
  };
}

/**
 * Reads the requested resource and verifies the request's signature against it. A failure counts for the address as with keys, but
 * it blocks no other request: git hosts have few addresses for all their users, and one wrong webhook must not block the others.
 */
async function identifySigned(visit: Visit, signature: SignatureCheck<unknown>): Promise<Caller> {
  const { route, params, request, deps, memory } = visit;
  const { db } = deps;
  const now = deps.now();
  const [first] = await readTogether(
    db,
    {
      ...(route.resource ? { resources: route.resource.select(db, '', params) } : {}),
      ...memory.settings.statements(db, now),
    },
    {},
  );
  memory.settings.learn(first.settings, now);
  const resource = first.resources?.[0];
  // Without both the body can't be verified, so it is not read.
  if (resource === undefined || !signature.isSigned(request.headers))
    throw new ApiError('unauthenticated', signature.refusal);
  const wasVerified = signature.wasVerified(resource);
  const limitBytes = wasVerified ? signature.bodyLimitBytes : unverifiedLimitBytes;
  const reading = { held: memory.bodies.signed, caller: visit.address, timeoutMs: memory.bodyMs.strangers };
  const body = await readLimitedBytes(request, limitBytes, reading);
  const verified = await signature.verify(deps, resource, { headers: request.headers, body });
  if (!verified) throw new ApiError('unauthenticated', signature.refusal);
  if (!wasVerified) visit.waitUntil(signature.noteVerified(deps, resource));
  return {
    principal: { kind: 'signed', tenantId: verified.tenantId, actor: signature.actor },
    signedBody: body,
    found: { resource, read: undefined },
  };
}

/** A sign-in attempt in the form for its limit. */
export function attemptOf(visit: Visit, now: number): Attempt {
  return {
    get address() {
      return visit.address;
    },
    limit: visit.memory.settings.current.failedSignInsPerMinute,
    now,
  };
}
