/** All routes of the control plane, as one literal list, and what surrounds them. */
import { Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { requestId } from 'hono/request-id';
import { deploymentRoutes } from './api/deployments.ts';
import { keyRoutes } from './api/keys.ts';
import { type App, type AppEnvironment, type MountOptions, mount } from './api/mount.ts';
import { projectRoutes } from './api/projects.ts';
import type { AnyRoute } from './api/route.ts';
import { runnerConnectionRoutes } from './api/runner-connection.ts';
import { runnerRoutes } from './api/runners.ts';
import { serviceRoutes } from './api/services.ts';
import { settingsRoutes } from './api/settings.ts';
import { variableRoutes } from './api/variables.ts';
import { createDependencies } from './context.ts';
import { ApiError } from './domain/errors.ts';
import { errorReply } from './middleware/error-reply.ts';
import { responseHeaders } from './middleware/response-headers.ts';

export const routes: readonly AnyRoute[] = [
  ...projectRoutes,
  ...serviceRoutes,
  ...variableRoutes,
  ...deploymentRoutes,
  ...keyRoutes,
  ...runnerRoutes,
  ...settingsRoutes,
  ...runnerConnectionRoutes,
];

/** Makes the app; tests give dependencies of their own and have answers checked against the routes' schemas. */
export function createApp(options: Partial<MountOptions> = {}, mounted: readonly AnyRoute[] = routes): App {
  const app: App = new Hono<AppEnvironment>();
  app.use(requestId());
  app.use(responseHeaders);
  app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }));
  mount(app, mounted, { dependenciesOf: createDependencies, ...options });
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
