/** The routes of the control plane, and what surrounds them. */
import { Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { requestId } from 'hono/request-id';
import { createDependencies } from './context.ts';
import { ApiError } from './domain/errors.ts';
import { cors } from './http/cors.ts';
import { errorReply } from './http/error-reply.ts';
import { isolateMemory } from './http/isolate-memory.ts';
import { type App, type AppEnvironment, type MountOptions, mount } from './http/mount.ts';
import { responseHeaders } from './http/response-headers.ts';
import type { AnyRoute } from './http/route.ts';
import { routes } from './routes.ts';

/** @param options replace the dependencies and the isolate's memory, or turn on the check of each answer */
export function createApp(options: Partial<MountOptions> = {}, mounted: readonly AnyRoute[] = routes): App {
  const app: App = new Hono<AppEnvironment>();
  const all = { dependenciesOf: createDependencies, memory: isolateMemory(), ...options };
  app.use(requestId());
  app.use(responseHeaders);
  app.use('/api/*', cors(all.memory.settings, all.dependenciesOf));
  app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }));
  mount(app, mounted, all);
  app.notFound((c) => errorReply(new ApiError('not_found', 'There is no such route.'), c.get('requestId')));
  app.onError((error, c) => errorReply(error, c.get('requestId')));
  return app;
}

const refuseMethod: NonNullable<
  Parameters<typeof methodNotAllowed<AppEnvironment>>[0]['onMethodNotAllowed']
> = (c, methods) => {
  const error = new ApiError('method_not_allowed', `This route takes ${methods.join(', ')} only.`);
  const reply = errorReply(error, c.get('requestId'));
  reply.headers.set('Allow', methods.join(', '));
  return reply;
};
