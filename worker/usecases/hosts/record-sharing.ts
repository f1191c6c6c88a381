import type { Dependencies } from '../dependencies.ts';
import { recordAuditEntry } from '../record-audit-entry.ts';

/** Writes `host.shared` or `host.unshared` to the audit log: the entry of the request itself holds no values. */
export function recordSharing(
  deps: Pick<Dependencies, 'db' | 'fingerprint' | 'newId' | 'now'>,
  change: { runnerId: string; shared: boolean; actor: string; requestId: string },
): Promise<void> {
  const { runnerId, shared, actor, requestId } = change;
  return recordAuditEntry(deps, {
    tenantId: null,
    actor,
    route: shared ? 'host.shared' : 'host.unshared',
    resourceId: runnerId,
    status: 200,
    requestId,
    address: '',
  });
}
