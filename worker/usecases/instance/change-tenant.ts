import { ApiError } from '../../domain/errors.ts';
import { changedQuotas, type QuotaChanges } from '../../domain/quotas.ts';
import { selectHostsWithQueuedJobsOf } from '../../store/claim-store.ts';
import { selectTenants, type TenantRow, type TenantView, updateTenant } from '../../store/tenant-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { refuseSameName } from './create-tenant.ts';

/**
 * Renames a tenant or changes its quotas. A quota below the current usage removes nothing; it only refuses new requests.
 * @throws ApiError `conflict` if another tenant has the name
 */
export async function changeTenant(
  { db, hubs }: Pick<Dependencies, 'db' | 'hubs'>,
  { tenant }: { tenant: TenantRow },
  { name = tenant.name, quotas = {} }: { name?: string | undefined; quotas?: QuotaChanges | undefined },
): Promise<TenantView> {
  const changes = { name, quotas: changedQuotas(tenant.quotas, quotas) };
  const [, [view], hosts] = await refuseSameName(() =>
    db.batch([
      updateTenant(db, tenant.id, changes),
      selectTenants(db, tenant.id),
      selectHostsWithQueuedJobsOf(db, tenant.id),
    ]),
  );
  if (!view) throw new ApiError('not_found', 'This tenant was deleted in the meantime.');
  // The change may allow more concurrent builds.
  if (quotas.concurrentBuilds !== undefined) await Promise.all(hosts.map(({ id }) => hubs.wake(id)));
  return view;
}
