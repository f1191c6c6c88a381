import type { MiddlewareHandler } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';

/** Default headers for an API with one HTML page: no sniffing, framing, scripts or caching. A route's own headers take precedence. */
const defaultHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
};

/** Sets security headers and the request id on every response except WebSocket upgrades, whose headers can't be changed. */
export const responseHeaders: MiddlewareHandler<{ Variables: RequestIdVariables }> = async (c, next) => {
  await next();
  if (c.res.status === 101) return;
  for (const [name, value] of Object.entries(defaultHeaders)) {
    if (!c.res.headers.has(name)) c.header(name, value);
  }
  c.header('X-Request-Id', c.get('requestId'));
};
