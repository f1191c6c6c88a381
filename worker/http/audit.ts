import { noteAuditEntry } from '../usecases/note-audit-entry.ts';
import type { Caller } from './authenticate.ts';
import type { Principal } from './route.ts';
import type { Visit } from './visit.ts';

/** Path parameters are what the client sent: an id has 20 characters. */
const resourceIdMax = 64;

/**
 * Every write of a key, of the operator or by a signed request, and every refusal of such a caller, goes into the audit log, after the
 * answer. Reads that are answered do not, nor do failed sign-ins (they are counted). Of a caller's refusals by rate limit the first of
 * each minute is enough: the others would let it fill the table. Values are never in an entry: the route's pattern, ids, the status.
 * @param createdId of what the request created; empty: that has none
 */
export function audit(visit: Visit, caller: Caller | undefined, status: number, createdId = ''): void {
  const { route, params, deps, memory, requestId, address } = visit;
  if (caller === undefined || caller.principal.kind === 'public') return;
  if (status < 400 && route.method === 'GET') return;
  const { principal } = caller;
  const { actor, tenantId } = actorOf(principal);
  const limited = principal.kind === 'signed' ? Object.values(params).join(' ') : actor;
  if (status === 429 && memory.auditedLimits.add(limited, deps.now()) > 1) return;
  const entry = noteAuditEntry(deps, {
    tenantId,
    actor,
    route: `${route.method} ${route.path}`,
    resourceId: createdId || Object.values(params).at(-1)?.slice(0, resourceIdMax) || null,
    status,
    requestId,
    address,
  });
  visit.waitUntil(entry);
}

function actorOf(principal: Exclude<Principal, { kind: 'public' }>): {
  actor: string;
  tenantId: string | null;
} {
  switch (principal.kind) {
    case 'key':
      return { actor: principal.keyId, tenantId: principal.tenantId };
    case 'operator':
      return { actor: 'operator', tenantId: null };
    case 'signed':
      return { actor: principal.actor, tenantId: principal.tenantId };
  }
}
