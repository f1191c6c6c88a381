import type { MiddlewareHandler } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';

/** An API that serves one page: nothing may be sniffed, framed, run or kept. What a route says itself stays. */
const defaultHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
};

/** Security headers and the request's id on every response, but for a WebSocket's (its headers can't be changed). */
export const responseHeaders: MiddlewareHandler<{ Variables: RequestIdVariables }> = async (c, next) => {
  await next();
  if (c.res.status === 101) return;
  for (const [name, value] of Object.entries(defaultHeaders)) {
    if (!c.res.headers.has(name)) c.header(name, value);
  }
  c.header('X-Request-Id', c.get('requestId'));
};
