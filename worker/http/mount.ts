/** Makes Hono routes of route values. What is not mounted here is 404; what lacks access or loader does not mount. */
import type { Context, Hono } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';
import type { Env } from '../env.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { clientAddress } from './client-address.ts';
import type { IsolateMemory } from './isolate-memory.ts';
import { type AnyRoute, accessLevels } from './route.ts';
import { serve } from './serve.ts';
import type { Visit } from './visit.ts';

export interface AppEnvironment {
  Bindings: Env;
  Variables: RequestIdVariables;
}
export type App = Hono<AppEnvironment>;

export interface MountOptions {
  dependenciesOf(env: Env): Dependencies;
  /** Shared by all requests of the isolate. */
  memory: IsolateMemory;
  /** Checks each JSON answer against the route's schema, and throws when they differ. Off by default: it costs CPU on each call. */
  checkReplies?: boolean;
}

/** @throws Error for a route that would not be guarded as its path needs. */
export function mount(app: App, routes: readonly AnyRoute[], options: MountOptions): void {
  for (const route of routes) {
    assertGuarded(route);
    app.on(route.method, route.path, (c) => serve(visitOf(route, c, options), options));
  }
}

function visitOf(route: AnyRoute, c: Context<AppEnvironment>, options: MountOptions): Visit {
  const request = c.req.raw;
  return {
    route,
    params: c.req.param(),
    request,
    requestId: c.get('requestId'),
    get address() {
      return clientAddress(request.headers);
    },
    deps: options.dependenciesOf(c.env),
    memory: options.memory,
    waitUntil: (work) => c.executionCtx.waitUntil(work),
  };
}

/** The scope that a loader must have, by the route's level; a public route has none. */
const scopeOf = {
  read: 'key',
  write: 'key',
  operator: 'operator',
  signed: 'signed',
  public: undefined,
} as const;

/** A forgotten level or loader must not become an open door. */
function assertGuarded(route: AnyRoute): void {
  const name = `${route.method} ${route.path}`;
  if (!accessLevels.includes(route.access)) {
    throw new Error(`${name} does not say who may call it.`);
  }
  if (route.path.startsWith('/api/system/') !== (route.access === 'operator')) {
    throw new Error(`${name}: operator routes, and no others, are below /api/system/.`);
  }
  if (route.path.includes(':') && !route.resource) {
    throw new Error(`${name} names a resource, but has no loader that checks it.`);
  }
  if (route.resource && route.resource.scope !== scopeOf[route.access]) {
    throw new Error(`${name}: the loader's scope (${route.resource.scope}) does not fit the access level.`);
  }
  const isSigned = route.access === 'signed';
  if (isSigned !== (route.proof !== undefined) || (isSigned && (!route.resource || route.body))) {
    throw new Error(
      `${name}: signed routes, and no others, say how a request is proven; they read their body themselves.`,
    );
  }
  const knowsCaller = route.access !== 'public' && !isSigned;
  if (route.reads && !knowsCaller) {
    throw new Error(`${name} reads for a caller, but anybody may call it.`);
  }
  if (route.creates && (route.method !== 'POST' || !knowsCaller)) {
    throw new Error(`${name}: only a POST of a known caller is carried out once for its Idempotency-Key.`);
  }
}
