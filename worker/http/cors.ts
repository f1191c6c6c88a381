import type { MiddlewareHandler } from 'hono';
import { cors as honoCors } from 'hono/cors';
import type { Env } from '../env.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import type { KnownSettings } from './known-settings.ts';

/** A browser asks again after this time: a removed origin is out by then. */
const preflightKeptSeconds = 600;

/**
 * Lets web pages of the origins in the setting `corsOrigins` call the API with a key of their own. For all others, and for all while the
 * setting is empty, no CORS header is sent and a preflight is a wrong method. Never `*`, and never credentials: there are no cookies.
 */
export function cors(
  settings: KnownSettings,
  dependenciesOf: (env: Env) => Dependencies,
): MiddlewareHandler<{ Bindings: Env }> {
  return async (c, next) => {
    const origin = c.req.header('origin');
    if (origin === undefined) return next();
    const { db, now } = dependenciesOf(c.env);
    const { corsOrigins } = await settings.fresh(db, now());
    return corsOrigins.includes(origin) ? listed(c, next) : next();
  };
}

/** For an origin that is listed: it is answered by its name. */
const listed = honoCors({
  origin: (origin) => origin,
  allowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
  allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID'],
  exposeHeaders: ['X-Request-Id', 'Retry-After', 'Idempotent-Replayed'],
  maxAge: preflightKeptSeconds,
});
