import type { Dependencies } from '../dependencies.ts';
import { recordAuditEntry } from '../record-audit-entry.ts';

/** Writes a decision about a host's tenants to the audit log as an entry of its own: the entry of the request itself holds no values. */
export function recordHostChange(
  deps: Pick<Dependencies, 'db' | 'fingerprint' | 'newId' | 'now'>,
  change: {
    runnerId: string;
    route: 'host.shared' | 'host.unshared' | 'host.runc-trusted' | 'host.runc-untrusted';
    actor: string;
    requestId: string;
  },
): Promise<void> {
  const { runnerId, route, actor, requestId } = change;
  return recordAuditEntry(deps, {
    tenantId: null,
    actor,
    route,
    resourceId: runnerId,
    status: 200,
    requestId,
    address: '',
  });
}
