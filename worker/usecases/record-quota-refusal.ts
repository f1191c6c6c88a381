import { noteRefusal } from '../store/alerts/quota-alert-store.ts';
import type { Dependencies } from './dependencies.ts';

/** Stores that a quota of a tenant refused something, for the alert `quotaRefused`. Never throws: the refusal itself is the answer. */
export async function recordQuotaRefusal(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  tenant: string | { projectId: string },
  quota: string,
): Promise<void> {
  try {
    await noteRefusal(db, tenant, quota, now());
  } catch (error) {
    console.error(`The refusal by the quota ${quota} was not noted: ${String(error)}`);
  }
}
