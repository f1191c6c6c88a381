import type { AuditDetail } from '../store/schema/audit.ts';
import { recordAuditEntry } from '../usecases/record-audit-entry.ts';
import type { Caller } from './authenticate.ts';
import type { Principal } from './route.ts';
import type { Visit } from './visit.ts';

/** Path parameters come from the client, so they are cut; a real id has 20 characters. */
const resourceIdMax = 64;

/** What a handler adds to the entry of its request. */
export interface AuditWords {
  /** Id of what the request created; empty: it has none. */
  createdId?: string;
  detail?: AuditDetail | null;
}

/**
 * Writes an audit entry after the response: for every write by a key, the operator or a signed request, and for every refusal of such
 * a caller. Successful reads are not recorded; failed sign-ins are counted elsewhere. Of a caller's rate-limit refusals only the first
 * per minute is recorded, so that a caller can't flood the table. Entries hold the route's pattern, ids and the status, never values.
 */
export function audit(
  visit: Visit,
  caller: Caller | undefined,
  status: number,
  { createdId, detail }: AuditWords = {},
): void {
  const { route, params, deps, memory, requestId, address } = visit;
  if (caller === undefined || caller.principal.kind === 'public') return;
  if (status < 400 && route.method === 'GET') return;
  const { principal } = caller;
  const { actor, tenantId } = actorOf(principal);
  const limited = principal.kind === 'signed' ? Object.values(params).join(' ') : actor;
  if (status === 429 && memory.auditedLimits.add(limited, deps.now()) > 1) return;
  const entry = recordAuditEntry(deps, {
    tenantId,
    actor,
    route: `${route.method} ${route.path}`,
    resourceId: createdId || Object.values(params).at(-1)?.slice(0, resourceIdMax) || null,
    status,
    requestId,
    address,
    detail: detail ?? null,
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
      return { actor: principal.row?.kind === 'operator' ? principal.row.id : 'operator', tenantId: null };
    case 'signed':
      return { actor: principal.actor, tenantId: principal.tenantId };
  }
}
