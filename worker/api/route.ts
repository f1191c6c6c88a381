/**
 * A route is a value: its path, the level it needs, the loader that finds its resource within the key's scope, its schemas and its handler.
 * app.ts mounts the list (a route that is not in it is 404), the key matrix test and the API document walk it.
 */
import type { z } from 'zod';
import type { Dependencies } from '../usecases/dependencies.ts';
import type { ResourceLoader } from './resources.ts';

/** `read` and `write`: API keys. `operator`: the operator token. `public`: no key (health, runner enrolment: they check their own proof). */
export type Access = 'read' | 'write' | 'operator' | 'public';

/** Who calls. */
export type Principal =
  | { kind: 'key'; keyId: string; tenantId: string; access: 'read' | 'write'; allProjects: boolean }
  | { kind: 'operator' }
  | { kind: 'public' };

export interface Call<Resource, Body, Query> {
  /** What the loader found: already checked against the key's scope. `undefined` for routes without one. */
  resource: Resource;
  body: Body;
  query: Query;
  principal: Principal;
  deps: Dependencies;
  /** For streams (`signal`, headers), nothing else. */
  request: Request;
  requestId: string;
  /** Runs after the answer was sent. */
  waitUntil(work: Promise<unknown>): void;
  /** Parsed authentication again, for long streams: false once the key or the resource is no longer valid for this route. */
  stillAllowed(): Promise<boolean>;
}

export interface Route<Resource, Body, Query, Reply> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Hono pattern; a `:param` is read by the loader only. */
  path: string;
  access: Access;
  /** Refused (403, before any look-up) to keys that are limited to chosen projects. */
  onlyAllProjects?: boolean;
  /** One line for the API document. */
  summary: string;
  /** Left out by collections and operator routes. */
  resource?: ResourceLoader<Resource>;
  body?: z.ZodType<Body>;
  query?: z.ZodType<Query>;
  /** Schema of the 200 answer; `stream` for bytes and events. */
  reply: z.ZodType<Reply> | 'stream';
  handle(call: Call<Resource, Body, Query>): Promise<Reply | Response>;
}

/** Any route, for lists. */
// biome-ignore lint/suspicious/noExplicitAny: a list of routes forgets what each one reads; mount() checks at run time by the schemas
export type AnyRoute = Route<any, any, any, any>;

/** Gives a route its types: handler, schemas and loader are checked against each other. */
export function defineRoute<Resource = undefined, Body = undefined, Query = undefined, Reply = unknown>(
  route: Route<Resource, Body, Query, Reply>,
): Route<Resource, Body, Query, Reply> {
  return route;
}
