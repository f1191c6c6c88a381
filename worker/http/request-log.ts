import type { Caller } from './authenticate.ts';
import type { Visit } from './visit.ts';

/** Every log line of the Worker is billed, so only one request in ten is logged. Failures (5xx) always have a line of their own. */
export const loggedShare = 0.1;

/** Writes one JSON line for a share of the requests: request id, tenant, route pattern and status; never values, query or address. */
export function logRequest({ requestId, route }: Visit, caller: Caller | undefined, status: number): void {
  if (Math.random() >= loggedShare) return;
  const { principal } = caller ?? {};
  const tenant = principal && 'tenantId' in principal ? principal.tenantId : null;
  console.info(JSON.stringify({ requestId, tenant, route: `${route.method} ${route.path}`, status }));
}
