import { ApiError } from '../../domain/errors.ts';
import { changedQuotas, type QuotaChanges } from '../../domain/quotas.ts';
import { violates } from '../../store/store-failure.ts';
import { insertTenant, selectTenants, type TenantView } from '../../store/tenant-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Creates an empty tenant. @throws ApiError `conflict` if another tenant has the name */
export async function createTenant(
  { db, newId, now }: Pick<Dependencies, 'db' | 'newId' | 'now'>,
  { name, quotas }: { name: string; quotas: QuotaChanges },
): Promise<TenantView> {
  const tenant = { id: newId('tenant'), name, quotas: changedQuotas({}, quotas), createdAt: now() };
  await refuseSameName(() => insertTenant(db, tenant));
  return { tenant, usage: { projects: 0, services: 0, concurrentBuilds: 0, memoryMb: 0, backupBytes: 0 } };
}

/** The tenant that an earlier attempt created with this id. */
export async function findTenant(
  { db }: Pick<Dependencies, 'db'>,
  tenantId: string,
): Promise<TenantView | undefined> {
  const [[view]] = await db.batch([selectTenants(db, tenantId)]);
  return view;
}

/** @throws ApiError `conflict` if the write would give two tenants the same name */
export async function refuseSameName<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!violates(error, 'UNIQUE', 'tenants.name')) throw error;
    throw new ApiError('conflict', 'Another tenant has this name: choose another one.');
  }
}
