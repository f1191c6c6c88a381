/**
 * A route is a value with its path, its access level, the loader that finds its resource within the key's scope, its schemas and its
 * handler. app.ts mounts the list of routes (all other paths are 404); the key matrix test and the API document iterate over the
 * list.
 */

import type { z } from 'zod';
import type { IdKind } from '../../protocol/ids.ts';
import type { Initiator } from '../domain/access/initiator.ts';
import { type KeyLevel, keyLevels } from '../domain/access/key-levels.ts';
import { ApiError } from '../domain/errors.ts';
import type { ApiKeyRow } from '../store/access/api-key-store.ts';
import type { ProjectLevel } from '../store/projects/project-level-store.ts';
import type { AuditDetail } from '../store/schema/audit.ts';
import type { Database } from '../store/sql/database.ts';
import type { Statements } from '../store/sql/read-together.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import type { PathParameters, ResourceLoader } from './loaders/loader.ts';

/**
 * `read`, `deploy`, `write` and `destroy`: API keys with at least this level. `member`: a member's session, no key. `owner`: an owner's session, no
 * key. `operator`: the operator token. `signed`: no key; each request is verified by its signature before use. `public`: no key (the reference;
 * runner enrolment and transfers, which check their own credential).
 */
export const accessLevels = [...keyLevels, 'member', 'owner', 'operator', 'signed', 'public'] as const;
export type Access = (typeof accessLevels)[number];

/** The caller of a request. */
export type Principal =
  | {
      kind: 'key';
      keyId: string;
      /** The member or key for which this key acts: a session acts for the one that signed in. */
      initiator: Initiator;
      /** Public part of the presented token. */
      tokenId: string;
      /** The key whose limits are used: the key that created this one, or itself. Otherwise a key could multiply its limits. */
      countedAs: string;
      tenantId: string;
      /** The level in the resource's project if the member has a role of their own there. */
      access: KeyLevel;
      /** The level where the member has no role of their own. */
      baseAccess: KeyLevel;
      ownLevels: readonly ProjectLevel[];
      allProjects: boolean;
    }
  | {
      kind: 'operator';
      /** The session or link that represents the token; undefined if the token itself was sent. */
      row?: ApiKeyRow;
    }
  | { kind: 'signed'; tenantId: string; actor: string }
  | { kind: 'public' };

/** Verification of the requests of a `signed` route. */
export interface SignatureCheck<Resource> {
  /** The signer's name in the audit log. */
  actor: string;
  /** Whether the headers have a signature. Otherwise the body is not read. */
  isSigned(headers: Headers): boolean;
  /** The limit applies before the verification, because the signature covers the body. Before the first verified request, a lower limit applies. */
  bodyLimitBytes: number;
  /** Whether an earlier request of this resource was verified. */
  wasVerified(resource: Resource): boolean;
  /** Stores that a request of this resource was verified. */
  noteVerified(deps: Dependencies, resource: Resource): Promise<unknown>;
  /** The same answer for every unverified request to an existing or missing resource. */
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
  /** The loaded resource, already checked against the key's scope. `undefined` for routes without a loader. */
  resource: Resource;
  /** Results of the route's own statements (`reads`). */
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
  /** Writes this resource into the audit entry: for a POST without `creates` that creates something. */
  nameInAudit(id: string): void;
  /** Replaces the initiator in the audit entry of a success: for a signed request whose body names a person. */
  nameInitiator(initiator: Initiator): void;
  /** Adds details to the audit entry of a success. */
  addToAudit(detail: AuditDetail): void;
  /** Repeats authentication, for long streams: false if the key or the resource is no longer valid for this route. */
  stillAllowed(): Promise<boolean>;
}

/** Input of a route's own statements. */
export interface Asked<Query> {
  /** The public part of the caller's token; empty for the operator. */
  tokenId: string;
  params: PathParameters;
  query: Query;
}

/** The resource that a POST creates, so that repeats with the same `Idempotency-Key` create it only once (usecases/instance/answer-once). */
export interface Creation<Resource, Body, Query, Reply, Read = undefined> {
  /** Kind of the created id: the first `deps.newId` of this kind in the handler returns the reserved id. Absent if the resource has no id. */
  kind?: IdKind;
  /**
   * The reply for what an earlier attempt created under this id; undefined if it created nothing.
   * Absent if creating twice does no harm: a repeat then runs the handler again.
   */
  find?(call: Call<Resource, Body, Query, Read>, id: string): Promise<Reply | undefined>;
}

export interface Route<Resource, Body, Query, Reply, Read = undefined> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path pattern of Hono; only the loader reads its `:param`s. */
  path: string;
  access: Access;
  /** Keys limited to some projects get 403 before any look-up. */
  onlyAllProjects?: boolean;
  /** Short-lived keys created by another key, and sessions of the operator, get 403 before any look-up. */
  onlyLastingKeys?: true;
  /** Sessions of members are accepted where `onlyLastingKeys` refuses other sessions. */
  takesMembers?: true;
  /** Browsers of members who are owners are accepted where `onlyLastingKeys` refuses other sessions. */
  takesOwners?: true;
  /**
   * Browsers are accepted where `onlyLastingKeys` refuses other sessions: those of owners, and of keys, since only lasting keys open sessions. For
   * what has to be finished while the session lasts.
   */
  takesBrowsers?: true;
  /**
   * The route sends a request to an identity provider, so limits per address and in total apply (limits/sign-in-starts). A function returns the
   * group in which the total is counted.
   */
  startsSignIn?: true | ((body: Body) => string);
  /** A sign-in link's code is accepted as well as keys. */
  takesLinks?: true;
  /** The operator token is accepted as well as keys. Only for routes without a resource. */
  takesOperator?: true;
  /** Description for the API document, one line. */
  summary: string;
  /** Absent on collections and operator routes without a parameter. */
  resource?: ResourceLoader<Resource>;
  /** Required on `signed` routes. */
  signature?: SignatureCheck<Resource>;
  body?: z.ZodType<Body>;
  /**
   * For a route without a resource: the project in its body. The caller needs the level in that project, or without a project the level
   * outside of projects.
   */
  projectIn?(body: Body): string | null | undefined;
  /** The body is a byte stream that the handler reads from `request`. */
  takesBytes?: true;
  query?: z.ZodType<Query>;
  /**
   * The handler's own statements. They run in the batch that reads the key and the resource, so the whole request needs one round
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

/** The caller's key. mount() guarantees one on routes for keys. */
export function keyOf(principal: Principal): Extract<Principal, { kind: 'key' }> {
  if (principal.kind === 'key') return principal;
  throw new ApiError('forbidden', 'This route needs an API key.');
}
