import { createMiddleware } from 'hono/factory';
import { ApiError } from '../domain/errors.ts';
import { isPaused } from '../env.ts';
import type { AppEnvironment } from './mount.ts';

const retryAfterSeconds = 30;

/** While the control plane is paused, all callers except the operator get 503; hosts reconnect automatically. */
export const refuseWhilePaused = createMiddleware<AppEnvironment>(async (c, next) => {
  const isOpen = c.req.path === '/healthz' || c.req.path.startsWith('/api/system/');
  if (isPaused(c.env) && !isOpen) {
    throw new ApiError('unavailable', 'The control plane is paused by its operator. Apps keep serving.', {
      retryAfterSeconds,
    });
  }
  await next();
});
