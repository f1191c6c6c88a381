/** Mounts routes on Hono. Other paths are answered with 404. A route without an access level or a required loader is refused. */
import type { Context, Hono } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';
import type { Env } from '../env.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { bindingsOf } from './bookmark.ts';
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
  /** Checks each JSON reply against the route's schema and throws if they differ. Off by default, because it costs CPU in each call. */
  checkReplies?: boolean;
}

/** @throws Error for a route whose guards do not fit its path. */
export function mount(app: App, routes: readonly AnyRoute[], options: MountOptions): void {
  for (const route of routes) {
    assertGuarded(route);
    app.on(route.method, route.path, async (c) => {
      const { env, marked } = bindingsOf(route, c.req.raw, c.env);
      return marked(await serve(visitOf(route, c, { ...options, env }), options));
    });
  }
}

function visitOf(
  route: AnyRoute,
  c: Context<AppEnvironment>,
  { env, dependenciesOf, memory }: MountOptions & { env: Env },
): Visit {
  const request = c.req.raw;
  return {
    route,
    params: c.req.param(),
    request,
    requestId: c.get('requestId'),
    get address() {
      return clientAddress(request.headers);
    },
    deps: dependenciesOf(env),
    memory,
    waitUntil: (work) => c.executionCtx.waitUntil(work),
  };
}

/** The scope that a loader must have for each access level; public routes have no loader. */
const scopeOf = {
  read: 'key',
  deploy: 'key',
  write: 'key',
  destroy: 'key',
  member: 'key',
  owner: 'key',
  operator: 'operator',
  signed: 'signed',
  public: undefined,
} as const;

/** Ensures that a forgotten access level or loader fails at start instead of opening a route. */
function assertGuarded(route: AnyRoute): void {
  const name = `${route.method} ${route.path}`;
  if (!accessLevels.includes(route.access)) {
    throw new Error(`${name} has no access level.`);
  }
  if (route.path.startsWith('/api/system/') !== (route.access === 'operator')) {
    throw new Error(`${name}: all operator routes, and only they, must be below /api/system/.`);
  }
  if (route.takesOperator && (route.resource || route.access !== 'read')) {
    throw new Error(`${name}: only a read route without a resource may take the operator token as well.`);
  }
  if (route.path.includes(':') && !route.resource) {
    throw new Error(`${name} has a path parameter but no loader that checks it.`);
  }
  if (route.resource && route.resource.scope !== scopeOf[route.access]) {
    throw new Error(`${name}: the loader's scope (${route.resource.scope}) does not match the access level.`);
  }
  if (route.projectIn && (route.resource || !route.body || scopeOf[route.access] !== 'key')) {
    throw new Error(`${name}: "projectIn" needs a body, a caller with a key, and no loader.`);
  }
  const isSigned = route.access === 'signed';
  if (isSigned !== (route.signature !== undefined) || (isSigned && (!route.resource || route.body))) {
    throw new Error(
      `${name}: signed routes, and only they, must have "signature"; they need a loader and no body schema.`,
    );
  }
  const knowsCaller = route.access !== 'public' && !isSigned;
  if (route.reads && !knowsCaller) {
    throw new Error(
      `${name} has "reads", which needs an identified caller, but its access is ${route.access}.`,
    );
  }
  if (route.creates && (route.method !== 'POST' || !knowsCaller)) {
    throw new Error(`${name}: "creates" needs a POST route with an identified caller.`);
  }
}
