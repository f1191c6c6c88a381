import type { Initiator } from '../domain/access/initiator.ts';
import type { AuditDetail } from '../store/schema/audit.ts';
import { recordAuditEntry } from '../usecases/record-audit-entry.ts';
import type { Caller } from './authenticate.ts';
import { initiatorOf } from './initiator-of.ts';
import type { Principal } from './route.ts';
import type { Visit } from './visit.ts';

/** Path parameters come from the client, so they are truncated; a real id has 20 characters. */
const resourceIdMax = 64;

/** The handler's additions to the audit entry of its request. */
export interface AuditWords {
  /** Id of the created resource; empty if there is none. */
  createdId?: string;
  detail?: AuditDetail | null;
  /** Replaces the caller's. */
  initiator?: Initiator;
}

/**
 * Writes an audit entry after the response: for every write by a key, the operator or a signed request, and for every refusal of these
 * callers. Successful reads are not recorded; failed sign-ins are counted elsewhere. Only the first rate-limit refusal of a caller per
 * minute is recorded, so that a caller can't flood the table. Entries hold the route's pattern, ids and the status, never values.
 */
export function audit(
  visit: Visit,
  caller: Caller | undefined,
  status: number,
  { createdId, detail, initiator }: AuditWords = {},
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
    actedBy: initiator ?? initiatorOf(principal),
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
