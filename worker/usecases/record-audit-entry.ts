import { type AuditRow, insertAuditEntry } from '../store/instance/audit-store.ts';
import type { Dependencies } from './dependencies.ts';

export interface AuditEvent extends Omit<AuditRow, 'id' | 'createdAt' | 'addressHash' | 'detail'> {
  address: string;
  detail?: AuditRow['detail'];
}

/**
 * Adds an entry to the audit log. It runs after the response and can't make it fail: an entry that can't be written is reported in the
 * Worker's log. The timestamp is that of the response.
 */
export async function recordAuditEntry(
  { db, fingerprint, newId, now }: Pick<Dependencies, 'db' | 'fingerprint' | 'newId' | 'now'>,
  { address, detail = null, ...event }: AuditEvent,
): Promise<void> {
  const entry = { ...event, detail, id: newId('audit'), createdAt: now() };
  try {
    await insertAuditEntry(db, { ...entry, addressHash: await fingerprint('address', address) });
  } catch (error) {
    console.error(`An audit entry was not written: ${String(error)}`, JSON.stringify(entry));
  }
}
