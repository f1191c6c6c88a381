/** Makes Hono routes of route values. What is not mounted here is 404; what lacks access or loader does not mount. */
import type { Context, Hono } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';
import { ApiError } from '../domain/errors.ts';
import type { Env } from '../env.ts';
import { type Admission, authenticate } from '../middleware/authenticate.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { noteUseOfKey } from '../usecases/note-use-of-key.ts';
import { parseBody, parseQuery } from './parse-request.ts';
import type { AnyRoute } from './route.ts';

export interface AppEnvironment {
  Bindings: Env;
  Variables: RequestIdVariables;
}
export type App = Hono<AppEnvironment>;

export interface MountOptions {
  dependenciesOf(env: Env): Dependencies;
  /** Checks each JSON answer against the route's schema: for tests. */
  checkReplies?: boolean;
}

/** @throws Error for a route that would not be guarded as its path needs. */
export function mount(app: App, routes: readonly AnyRoute[], options: MountOptions): void {
  for (const route of routes) {
    assertGuarded(route);
    app.on(route.method, route.path, (c) => serve(route, c, options));
  }
}

async function serve(route: AnyRoute, c: Context<AppEnvironment>, options: MountOptions): Promise<Response> {
  const deps = options.dependenciesOf(c.env);
  const admit = () => authenticate(route, c.req.header('authorization'), c.req.param(), deps);
  const { principal, resource, key } = await admit();
  if (key) c.executionCtx.waitUntil(noteUseOfKey(deps, key));
  const query = route.query && parseQuery(route.query, c.req.url);
  const body = route.body && (await parseBody(route.body, c.req.raw));
  const reply = await route.handle({
    resource,
    body,
    query,
    principal,
    deps,
    request: c.req.raw,
    requestId: c.get('requestId'),
    waitUntil: (work) => c.executionCtx.waitUntil(work),
    stillAllowed: () => isAdmitted(admit),
  });
  if (reply instanceof Response) return reply;
  return c.json(options.checkReplies && route.reply !== 'stream' ? route.reply.parse(reply) : reply);
}

/** @throws what D1 throws: "unknown" is neither yes nor no. */
async function isAdmitted(admit: () => Promise<Admission>): Promise<boolean> {
  try {
    await admit();
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** A forgotten level or loader must not become an open door. */
function assertGuarded(route: AnyRoute): void {
  const name = `${route.method} ${route.path}`;
  if (!['read', 'write', 'operator', 'public'].includes(route.access)) {
    throw new Error(`${name} does not say who may call it.`);
  }
  if (route.path.startsWith('/api/system/') !== (route.access === 'operator')) {
    throw new Error(`${name}: operator routes, and no others, are below /api/system/.`);
  }
  if (route.path.includes(':') && !route.resource) {
    throw new Error(`${name} names a resource, but has no loader that checks it.`);
  }
  const neededScope = route.access === 'operator' ? 'operator' : 'key';
  if (route.resource && (route.access === 'public' || route.resource.scope !== neededScope)) {
    throw new Error(`${name}: the loader's scope (${route.resource.scope}) does not fit the access level.`);
  }
}
