/**
 * A route is a value: its path, access level, the loader that finds its resource within the key's scope, its schemas and its handler.
 * app.ts mounts the list (a route outside it is 404); the key matrix test and the API document iterate over it.
 */
import type { z } from 'zod';
import type { IdKind } from '../../protocol/ids.ts';
import { type KeyLevel, keyLevels } from '../domain/access/key-levels.ts';
import { ApiError } from '../domain/errors.ts';
import type { ApiKeyRow } from '../store/access/api-key-store.ts';
import type { ProjectLevel } from '../store/projects/project-level-store.ts';
import type { AuditDetail } from '../store/schema/audit.ts';
import type { Database } from '../store/sql/database.ts';
import type { Statements } from '../store/sql/read-together.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import type { PathParameters, ResourceLoader } from './resources.ts';

/**
 * `read`, `deploy`, `write` and `destroy`: API keys with at least this level. `member`: the session of a member, and no key. `owner`: the session of a member who is an owner, and no key. `operator`: the operator token. `signed`: no key; each request is verified by its signature before it is
 * used. `public`: no key (the reference; runner enrolment and transfers, which check their own credential).
 */
export const accessLevels = [...keyLevels, 'member', 'owner', 'operator', 'signed', 'public'] as const;
export type Access = (typeof accessLevels)[number];

/** The caller of a request. */
export type Principal =
  | {
      kind: 'key';
      keyId: string;
      /** Public part of the token that was presented. */
      tokenId: string;
      /** Whose limits it uses up: the key that made it, or itself. Otherwise a key could multiply its limits. */
      countedAs: string;
      tenantId: string;
      /** In the project of the resource, where a member has a role of their own there. */
      access: KeyLevel;
      /** Where the member has no role of their own. */
      baseAccess: KeyLevel;
      ownLevels: readonly ProjectLevel[];
      allProjects: boolean;
    }
  | {
      kind: 'operator';
      /** The session or link that stands for the token; undefined: the token itself was sent. */
      row?: ApiKeyRow;
    }
  | { kind: 'signed'; tenantId: string; actor: string }
  | { kind: 'public' };

/** How requests of a `signed` route are verified. */
export interface SignatureCheck<Resource> {
  /** Stands for the signer in the audit log. */
  actor: string;
  /** Whether the headers have a signature. Otherwise the body is not read. */
  isSigned(headers: Headers): boolean;
  /** The limit applies before the verification, because the signature covers the body. Until one was verified, a lower limit applies. */
  bodyLimitBytes: number;
  /** Whether a request of this resource was verified before. */
  wasVerified(resource: Resource): boolean;
  /** Remembers that one was. */
  noteVerified(deps: Dependencies, resource: Resource): Promise<unknown>;
  /** The same answer for every unverified request, whether the resource exists or not. */
  refusal: string;
  /** @returns the resource's tenant, or null if the request is not verified. */
  verify(
    deps: Dependencies,
    resource: Resource,
    request: SignedPayload,
  ): Promise<{ tenantId: string } | null>;
}

export interface SignedPayload {
  headers: Headers;
  /** The raw body. */
  body: Uint8Array<ArrayBuffer>;
}

export interface Call<Resource, Body, Query, Read = undefined> {
  /** The resource that the loader found, already checked against the key's scope. `undefined` for routes without a loader. */
  resource: Resource;
  /** Rows of the route's own statements (`reads`). */
  read: Read;
  body: Body;
  query: Query;
  principal: Principal;
  deps: Dependencies;
  /** The verified body of a `signed` route; empty on other routes. */
  signedBody: Uint8Array<ArrayBuffer>;
  /** Only for streams (`signal`, and the body of a route that takes bytes), headers and the requested URL. */
  request: Request;
  requestId: string;
  /** Runs after the response is sent. */
  waitUntil(work: Promise<unknown>): void;
  /** The audit entry names this resource: for a POST without `creates` that creates something. */
  nameInAudit(id: string): void;
  /** The audit entry of a success adds this. */
  addToAudit(detail: AuditDetail): void;
  /** Repeats authentication, for long streams: false once the key or the resource is no longer valid for this route. */
  stillAllowed(): Promise<boolean>;
}

/** What a route's own statements can depend on. */
export interface Asked<Query> {
  /** The public part of the caller's token; empty for the operator. */
  tokenId: string;
  params: PathParameters;
  query: Query;
}

/** What a POST creates, so that repeats with the same `Idempotency-Key` create it only once (usecases/answer-once). */
export interface Creation<Resource, Body, Query, Reply, Read = undefined> {
  /** Kind of the created id: the first `deps.newId` of this kind in the handler returns the reserved id. Absent: the resource has no id. */
  kind?: IdKind;
  /**
   * The reply for what an earlier attempt created under this id; undefined if it created nothing.
   * Absent where creating twice does no harm: a repeat then runs the handler again.
   */
  find?(call: Call<Resource, Body, Query, Read>, id: string): Promise<Reply | undefined>;
}

export interface Route<Resource, Body, Query, Reply, Read = undefined> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Hono pattern; only the loader reads its `:param`s. */
  path: string;
  access: Access;
  /** Keys limited to some projects get 403 before any look-up. */
  onlyAllProjects?: boolean;
  /** Short-lived keys, which another key has made, and sessions of the operator get 403 before any look-up. */
  onlyLastingKeys?: true;
  /** Asks an identity provider for whoever calls: so many at once, and of an address (limits/sign-in-starts). */
  startsSignIn?: true;
  /** A sign-in link's code is accepted as well as keys. */
  takesLinks?: true;
  /** The operator token is accepted as well as keys. Only for routes without a resource. */
  takesOperator?: true;
  /** One line, for the API document. */
  summary: string;
  /** Absent on collections and operator routes without a parameter. */
  resource?: ResourceLoader<Resource>;
  /** Required on `signed` routes. */
  signature?: SignatureCheck<Resource>;
  body?: z.ZodType<Body>;
  /**
   * Of a route without a resource: the project that its body names. The level that the caller has there is needed, and the one outside of
   * projects if it names none.
   */
  projectIn?(body: Body): string | null | undefined;
  /** The body is a byte stream that the handler reads from `request`. */
  takesBytes?: true;
  query?: z.ZodType<Query>;
  /**
   * The handler's own statements. They run in the same batch that reads the key and the resource, so the whole request needs one round
   * trip. They run before the token is verified, but their rows reach the handler only afterwards, and only if the resource was found.
   * On a route without a resource they must join to the token's scope themselves, as loaders do (store/scoped-store).
   */
  reads?(db: Database, asked: Asked<Query>): Statements<Read>;
  /** Required on every POST that creates something. */
  creates?: Creation<Resource, Body, Query, Reply, Read>;
  /** Schema of the 200 reply; `stream` for bytes and events. */
  reply: z.ZodType<Reply> | 'stream';
  /** Schema of one event of a `stream` of Server-Sent Events, for the API document. */
  events?: z.ZodType;
  /** Media type of a `stream` that is neither events nor plain bytes. */
  mediaType?: string;
  handle(call: Call<Resource, Body, Query, Read>): Promise<Reply | Response>;
}

/** Any route, for lists of routes. */
// biome-ignore-start lint/suspicious/noExplicitAny: a list erases each route's types; mount() and the schemas check at run time
export type AnyRoute = Route<any, any, any, any, any>;
export type AnyCall = Call<any, any, any, any>;
export type AnyCreation = Creation<any, any, any, any, any>;
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/** Infers a route's types, so that handler, schemas, loader and statements are checked against each other. */
export function defineRoute<
  Resource = undefined,
  Body = undefined,
  Query = undefined,
  Reply = unknown,
  Read = undefined,
>(route: Route<Resource, Body, Query, Reply, Read>): Route<Resource, Body, Query, Reply, Read> {
  return route;
}

/** The key that called. mount() guarantees one on routes for keys. */
export function keyOf(principal: Principal): Extract<Principal, { kind: 'key' }> {
  if (principal.kind === 'key') return principal;
  throw new ApiError('forbidden', 'This route needs an API key.');
}
