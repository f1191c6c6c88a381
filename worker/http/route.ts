/**
 * A route is a value: its path, the level it needs, the loader that finds its resource within the key's scope, its schemas and its handler.
 * app.ts mounts the list (a route that is not in it is 404), the key matrix test and the API document walk it.
 */
import type { z } from 'zod';
import type { IdKind } from '../../protocol/ids.ts';
import { ApiError } from '../domain/errors.ts';
import type { Database } from '../store/database.ts';
import type { Statements } from '../store/read-together.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import type { PathParameters, ResourceLoader } from './resources.ts';

/**
 * `read` and `write`: API keys. `operator`: the operator token. `signed`: no key, each request proves itself by what it holds, before
 * anything of it is used. `public`: no key (the reference, runner enrolment: they check their own proof).
 */
export const accessLevels = ['read', 'write', 'operator', 'signed', 'public'] as const;
export type Access = (typeof accessLevels)[number];

/** Who calls. */
export type Principal =
  | { kind: 'key'; keyId: string; tenantId: string; access: 'read' | 'write'; allProjects: boolean }
  | { kind: 'operator' }
  | { kind: 'signed'; tenantId: string; actor: string }
  | { kind: 'public' };

/** How the requests of a `signed` route prove themselves. */
export interface RequestProof<Resource> {
  /** Stands for whoever signed in the audit log. */
  actor: string;
  /** The body is read before anything is proven. */
  bodyLimitBytes: number;
  /** The one answer to what is not proven, whether the resource exists or not. */
  refusal: string;
  /**
   * @param resource what the loader found; where it found nothing the same work is done, and the answer is null.
   * @returns whose resource it is; null: not proven.
   */
  prove(
    deps: Dependencies,
    resource: Resource | undefined,
    request: ProvenBy,
  ): Promise<{ tenantId: string } | null>;
}

export interface ProvenBy {
  headers: Headers;
  /** As it was sent. */
  body: Uint8Array<ArrayBuffer>;
}

export interface Call<Resource, Body, Query, Read = undefined> {
  /** What the loader found: already checked against the key's scope. `undefined` for routes without one. */
  resource: Resource;
  /** Rows of the route's own statements. */
  read: Read;
  body: Body;
  query: Query;
  principal: Principal;
  deps: Dependencies;
  /** Of a `signed` route: the body that was proven. Empty for all others. */
  signedBody: Uint8Array<ArrayBuffer>;
  /** For streams (`signal`, and the body of a route that takes bytes), headers and the address it was sent to, nothing else. */
  request: Request;
  requestId: string;
  /** Runs after the answer was sent. */
  waitUntil(work: Promise<unknown>): void;
  /** Parsed authentication again, for long streams: false once the key or the resource is no longer valid for this route. */
  stillAllowed(): Promise<boolean>;
}

/** What a route's own statements may depend on. */
export interface Asked<Query> {
  /** The public part of the caller's token; empty for the operator. */
  tokenId: string;
  params: PathParameters;
  query: Query;
}

/** What a POST creates, so that a request with an `Idempotency-Key` creates it once (usecases/answer-once). */
export interface Creation<Resource, Body, Query, Reply, Read = undefined> {
  /** The first id of this kind that the handler takes from `deps.newId` is the one of what it creates; left out where that has none. */
  kind?: IdKind;
  /**
   * The answer for what an earlier attempt created under this id; undefined when there is no such row.
   * Left out where creating once more does no harm: the repeat then runs the handler again.
   */
  find?(call: Call<Resource, Body, Query, Read>, id: string): Promise<Reply | undefined>;
}

export interface Route<Resource, Body, Query, Reply, Read = undefined> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Hono pattern; a `:param` is read by the loader only. */
  path: string;
  access: Access;
  /** Refused (403, before any look-up) to keys that are limited to chosen projects. */
  onlyAllProjects?: boolean;
  /** One line for the API document. */
  summary: string;
  /** Left out by collections and operator routes. */
  resource?: ResourceLoader<Resource>;
  /** Of `signed` routes, which all have it. */
  proof?: RequestProof<Resource>;
  body?: z.ZodType<Body>;
  /** The body is a stream of bytes, which the handler reads from `request` itself. */
  takesBytes?: true;
  query?: z.ZodType<Query>;
  /**
   * What the handler needs to read, in the very batch that finds the key and the resource: one round trip in all. It runs before the
   * token is proven; its rows reach the handler only after, and only if the resource was found. A route without a resource joins to
   * the token's scope itself, as loaders do (store/scoped-store).
   */
  reads?(db: Database, asked: Asked<Query>): Statements<Read>;
  /** Said by every POST that creates something. */
  creates?: Creation<Resource, Body, Query, Reply, Read>;
  /** Schema of the 200 answer; `stream` for bytes and events. */
  reply: z.ZodType<Reply> | 'stream';
  /** Of a `stream` that is neither events nor plain bytes. */
  mediaType?: string;
  handle(call: Call<Resource, Body, Query, Read>): Promise<Reply | Response>;
}

/** Any route, for lists. */
// biome-ignore-start lint/suspicious/noExplicitAny: a list of routes forgets what each one reads; mount() checks at run time by the schemas
export type AnyRoute = Route<any, any, any, any, any>;
export type AnyCall = Call<any, any, any, any>;
export type AnyCreation = Creation<any, any, any, any, any>;
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/** Gives a route its types: handler, schemas, loader and statements are checked against each other. */
export function defineRoute<
  Resource = undefined,
  Body = undefined,
  Query = undefined,
  Reply = unknown,
  Read = undefined,
>(route: Route<Resource, Body, Query, Reply, Read>): Route<Resource, Body, Query, Reply, Read> {
  return route;
}

/** The caller of a route for keys: mount() lets nobody else in. */
export function keyOf(principal: Principal): Extract<Principal, { kind: 'key' }> {
  if (principal.kind === 'key') return principal;
  throw new ApiError('forbidden', 'This route needs an API key.');
}
