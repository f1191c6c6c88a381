import { Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { requestId } from 'hono/request-id';
import { dashboardPage, wantsPage } from './api/dashboard/dashboard-page.ts';
import { createDependencies } from './context.ts';
import { ApiError } from './domain/errors.ts';
import { cors } from './http/cors.ts';
import { errorReply } from './http/error-reply.ts';
import { isolateMemory } from './http/isolate-memory.ts';
import { type App, type AppEnvironment, type MountOptions, mount } from './http/mount.ts';
import { refuseWhilePaused } from './http/refuse-while-paused.ts';
import { responseHeaders } from './http/response-headers.ts';
import type { AnyRoute } from './http/route.ts';
import { routes } from './routes.ts';

/** Builds the control plane's app: its routes and middleware. `options` replace the dependencies and the isolate's memory. */
export function createApp(options: Partial<MountOptions> = {}, mounted: readonly AnyRoute[] = routes): App {
  const app: App = new Hono<AppEnvironment>();
  const all = { dependenciesOf: createDependencies, memory: isolateMemory(), ...options };
  app.use(requestId());
  app.use(responseHeaders);
  app.use(refuseWhilePaused);
  app.use('/api/*', cors(all.memory.settings, all.dependenciesOf));
  app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }));
  mount(app, mounted, all);
  app.notFound((c) =>
    // The dashboard's program finds no page at this address either, and says so.
    wantsPage(c.req.raw)
      ? dashboardPage(404)
      : errorReply(new ApiError('not_found', 'This route does not exist.'), c.get('requestId')),
  );
  app.onError((error, c) => errorReply(error, c.get('requestId')));
  return app;
}

const refuseMethod: NonNullable<
  Parameters<typeof methodNotAllowed<AppEnvironment>>[0]['onMethodNotAllowed']
> = (c, methods) => {
  const error = new ApiError('method_not_allowed', `This route only accepts ${methods.join(', ')}.`);
  const reply = errorReply(error, c.get('requestId'));
  reply.headers.set('Allow', methods.join(', '));
  return reply;
};
