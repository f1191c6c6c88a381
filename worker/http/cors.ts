import type { MiddlewareHandler } from 'hono';
import { cors as honoCors } from 'hono/cors';
import type { Env } from '../env.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { bookmarkHeader } from './bookmark.ts';
import type { KnownSettings } from './known-settings.ts';

/** Browsers repeat the preflight after this time, so a removed origin can still work for this long. */
const preflightKeptSeconds = 600;

/**
 * Lets web pages from the origins in the setting `corsOrigins` call the API with their own key. For any other origin, and while the
 * setting is empty, no CORS header is sent and a preflight gets 405. Never `*` and never credentials, so the
 * cookie of a session works on pages of this instance only.
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

/** Answers a listed origin with the same origin. */
const listed = honoCors({
  origin: (origin) => origin,
  allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID', bookmarkHeader],
  exposeHeaders: ['X-Request-Id', 'Retry-After', 'Idempotent-Replayed', 'Repr-Digest', bookmarkHeader],
  maxAge: preflightKeptSeconds,
});
