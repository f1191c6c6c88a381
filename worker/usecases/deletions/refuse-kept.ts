import { keptQuotaExceeded, keptQuotas } from '../../domain/tenants/quotas.ts';
import { findOldestDeletion } from '../../store/deletions/deletion-store.ts';
import { findTenantOfProject, overQuotaColumn } from '../../store/projects/tenant-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Throws if the batch of a deletion failed because it exceeded a quota; returns after any other failure.
 * @throws ApiError `quota_exceeded`
 */
export async function refuseOverKept(
  { db }: Pick<Dependencies, 'db'>,
  error: unknown,
  projectId: string,
): Promise<void> {
  if (!violates(error, 'NOT NULL', overQuotaColumn)) return;
  const found = await findTenantOfProject(db, projectId);
  if (!found) return;
  const { tenant, usage } = found;
  const oldestUntil = await findOldestDeletion(db, tenant.id);
  const isFull = usage.keptDeletions >= (tenant.quotas.keptDeletions ?? Number.POSITIVE_INFINITY);
  const name = keptQuotas[isFull ? 0 : 1];
  throw keptQuotaExceeded(name, { used: usage[name], ceiling: tenant.quotas[name] ?? 0, oldestUntil });
}
