/**
 * Serves one request in this order: authentication (401), rate limit (429), access level (403), resource (404), body (400), handler.
 * Only the limit of streams that open at once is checked before authentication.
 * The outcome is written to the audit log where required.
 */
import { type KeyLevel, keyLevels } from '../domain/access/key-levels.ts';
import { ApiError } from '../domain/errors.ts';
import { recordFailedSignIns } from '../usecases/access/record-failed-sign-ins.ts';
import { recordKeyUse } from '../usecases/access/record-key-use.ts';
import { assertLevelIn } from '../usecases/assert-level-in.ts';
import { recordQuotaRefusal } from '../usecases/record-quota-refusal.ts';
import { type AuditWords, audit } from './audit.ts';
import { admit, attemptOf, type Caller, type Found, identify, type OwnReads } from './authenticate.ts';
import { assertBookmark } from './bookmark.ts';
import { serveCreation } from './creation.ts';
import { apiErrorOf } from './error-reply.ts';
import { initiatorOf } from './initiator-of.ts';
import { type BodyReading, readLimitedText } from './limits/body-limit.ts';
import { assertNoFields, parseBody, parseQuery } from './parse-request.ts';
import { logRequest } from './request-log.ts';
import { type AnyCall, keyOf } from './route.ts';
import type { Visit } from './visit.ts';

export interface ServeOptions {
  /** Checks each JSON reply against the route's schema and throws if they differ. Off by default, because it costs CPU in each call. */
  checkReplies?: boolean;
}

/** @throws ApiError for every refusal; also errors of D1 and the handler. */
export async function serve(visit: Visit, options: ServeOptions): Promise<Response> {
  let caller: Caller | undefined;
  let opened = () => {};
  try {
    opened = openingOf(visit);
    if (usesDatabase(visit)) await visit.memory.schema.assertMigrated(visit.deps.db);
    const query = queryOf(visit);
    caller = await identify(visit, readsOf(visit, query));
    countCall(visit, caller);
    const found = admit(visit, caller);
    if ('refusal' in query) throw query.refusal;
    assertBookmark(visit.request);
    const response = await answer(visit, { caller, found, query: query.value }, options);
    logRequest(visit, caller, response.status);
    return response;
  } catch (thrown) {
    const error = await countedFailure(visit, thrown);
    const { status, quota } = apiErrorOf(error);
    audit(visit, caller, status);
    if (quota !== undefined) noteQuota(visit, caller, quota);
    logRequest(visit, caller, status);
    throw error;
  } finally {
    opened();
  }
}

/**
 * Counts a request among the streams that are being opened. A request without credentials is refused anyway, so it is not counted.
 * @throws ApiError `rate_limited`
 */
function openingOf({ route, request: { headers }, memory, deps }: Visit): () => void {
  const credentials = headers.get('authorization') ?? headers.get('cookie');
  if (!route.events || credentials === null) return () => {};
  return memory.streamOpenings.enter(credentials, deps.now());
}

/** Paths outside of `/api` work without the database: the reference, and the health check that reports the database's problems. */
const usesDatabase = ({ route }: Visit) => route.path.startsWith('/api/');

/** An authorised caller and its query. */
interface Admitted {
  caller: Caller;
  found: Found;
  query: unknown;
}

async function answer(visit: Visit, { caller, found, query }: Admitted, options: ServeOptions) {
  const { route, request, requestId, waitUntil } = visit;
  const deps = { ...visit.deps, initiator: initiatorOf(caller.principal) };
  // The body of a signed route was already read, and a GET has none.
  const hasText = route.access !== 'signed' && route.method !== 'GET' && !route.takesBytes;
  const text = hasText ? await readLimitedText(request, readingOf(visit, caller)) : '';
  if (!route.body) assertNoFields(text);
  const body = route.body && parseBody(route.body, text);
  if (route.projectIn) assertLevelIn(keyOf(caller.principal), route.projectIn(body) ?? null, levelOf(route));
  const named: AuditWords = { createdId: '', detail: null };
  const call: AnyCall = {
    ...found,
    query,
    body,
    principal: caller.principal,
    deps,
    signedBody: caller.signedBody ?? new Uint8Array(),
    request,
    requestId,
    waitUntil,
    nameInAudit: (id) => {
      named.createdId = id;
    },
    nameInitiator: (initiator) => {
      named.initiator = initiator;
    },
    addToAudit: (detail) => {
      named.detail = detail;
    },
    stillAllowed: () => isStillAllowed(visit),
  };
  const reply = (value: unknown) => replyOf(route, value, options);
  if (route.creates) return serveCreation(visit, caller, { creation: route.creates, call, text, reply });
  const response = reply(await handled(visit, call));
  audit(visit, caller, response.status, named);
  return response;
}

/** A sign-in is counted only after its body has arrived, so that slow bodies do not prevent other sign-ins. @throws ApiError `rate_limited` */
async function handled({ route, memory, address, deps }: Visit, call: AnyCall): Promise<unknown> {
  const { startsSignIn } = route;
  if (!startsSignIn) return route.handle(call);
  const group = startsSignIn === true ? '' : startsSignIn(call.body);
  const leave = memory.signInStarts.enter(address, deps.now(), group);
  try {
    return await route.handle(call);
  } finally {
    leave();
  }
}

/** @throws Error for a route that is not for keys, which mount() refuses */
function levelOf({ access, path }: Visit['route']): KeyLevel {
  const level = keyLevels.find((one) => one === access);
  if (level === undefined) throw new Error(`${path} is no route for keys.`);
  return level;
}

/** The group and caller under which a body is counted while it is read. */
function readingOf({ memory: { bodies, bodyMs }, address }: Visit, { principal }: Caller): BodyReading {
  if (principal.kind === 'public')
    return { held: bodies.public, caller: address, timeoutMs: bodyMs.strangers };
  const caller = principal.kind === 'key' ? principal.countedAs : principal.kind;
  return { held: bodies.keys, caller, timeoutMs: bodyMs.keys };
}

function replyOf({ reply }: Visit['route'], value: unknown, { checkReplies }: ServeOptions): Response {
  if (value instanceof Response) return value;
  return Response.json(checkReplies && reply !== 'stream' ? reply.parse(value) : value);
}

type Query = { value: unknown } | { refusal: ApiError };

/** Parses the query. An error is held back until the caller is authorised for the route. */
function queryOf({ route, request }: Visit): Query {
  if (!route.query) return { value: undefined };
  try {
    return { value: parseQuery(route.query, request.url) };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error };
    throw error;
  }
}

function readsOf({ route, params, deps }: Visit, query: Query): OwnReads {
  return (tokenId) => {
    if (!route.reads || 'refusal' in query) return {};
    return route.reads(deps.db, { tokenId, params, query: query.value });
  };
}

/** @throws ApiError `rate_limited`. */
function countCall(visit: Visit, { key, principal }: Caller): void {
  const { deps, memory, params, route } = visit;
  if (principal.kind === 'signed') memory.signedCalls.count(Object.values(params).join(' '), deps.now());
  if (!key) return;
  const noting = recordKeyUse(deps, key);
  if (noting) visit.waitUntil(noting);
  memory.calls.count(
    keyOf(principal).countedAs,
    route.method === 'GET' ? 'read' : 'write',
    memory.settings.current,
    deps.now(),
  );
}

/** Stores after the response which quota refused, for the alert about that. */
function noteQuota({ deps, waitUntil }: Visit, caller: Caller | undefined, quota: string): void {
  if (caller?.principal.kind === 'key') waitUntil(recordQuotaRefusal(deps, caller.principal.tenantId, quota));
}

/** Counts a failed sign-in. @returns the error to answer with: 429 instead of 401 above the limit. */
async function countedFailure(visit: Visit, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof ApiError && thrown.code === 'unauthenticated')) return thrown;
  const { deps, memory } = visit;
  const now = deps.now();
  // A public route and a malformed token read no settings. If D1 fails, the last known limit applies.
  await memory.settings.fresh(deps.db, now).catch(() => undefined);
  const refusal = memory.signIns.failed(attemptOf(visit, now));
  const writing = memory.signIns.writer(now, (counts) => recordFailedSignIns(deps, counts));
  if (writing) visit.waitUntil(writing);
  return refusal ?? thrown;
}

/** @throws errors of D1: after a failed read the answer is unknown. */
async function isStillAllowed(visit: Visit): Promise<boolean> {
  try {
    admit(visit, await identify(visit, () => ({})));
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
