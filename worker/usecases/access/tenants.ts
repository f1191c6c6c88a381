/** Tenants: list, create, change, delete. */

import { ApiError } from '../../domain/errors.ts';
import {
  changedQuotas,
  newTenantQuotas,
  type QuotaChanges,
  usedQuotaNames,
} from '../../domain/tenants/quotas.ts';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { forgetRefusals } from '../../store/alerts/quota-alert-store.ts';
import { selectHostsWithQueuedJobsOf } from '../../store/jobs/claim-store.ts';
import {
  deleteTenant as deleteRow,
  insertTenant,
  limitDefaultTenant,
  selectTenantPage,
  selectTenants,
  type TenantRemains,
  type TenantRow,
  type TenantView,
  updateTenant,
} from '../../store/projects/tenant-store.ts';
import type { Page } from '../../store/sql/keyset.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';

/** A page of the tenants with their usage, oldest first. */
export async function listTenants({ db }: Pick<Dependencies, 'db'>, page: Page): Promise<TenantView[]> {
  const [tenants] = await db.batch([selectTenantPage(db, page)]);
  return tenants;
}

/**
 * Creates an empty tenant. With the second one, the default tenant gets the quotas of a new one. @throws ApiError `conflict` if another tenant uses
 * the name
 */
export async function createTenant(
  { db, newId, now }: Pick<Dependencies, 'db' | 'newId' | 'now'>,
  { name, quotas }: { name: string; quotas: QuotaChanges },
): Promise<TenantView> {
  const tenant = {
    id: newId('tenant'),
    name,
    quotas: changedQuotas(newTenantQuotas, quotas),
    createdAt: now(),
  };
  await refuseSameName(() => db.batch([insertTenant(db, tenant), limitDefaultTenant(db)]));
  return {
    tenant,
    usage: Object.fromEntries(usedQuotaNames.map((name) => [name, 0])) as TenantView['usage'],
  };
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
async function refuseSameName<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!violates(error, 'UNIQUE', 'tenants.name')) throw error;
    throw new ApiError('conflict', 'Another tenant has this name: choose another one.');
  }
}

/**
 * Renames a tenant or changes its quotas. A quota below the current usage removes nothing; it only refuses new requests.
 * @throws ApiError `conflict` if another tenant uses the name
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
      forgetRefusals(db, tenant.id),
    ]),
  );
  if (!view) throw new ApiError('not_found', 'This tenant was deleted in the meantime.');
  // The change may allow more concurrent builds.
  if (quotas.concurrentBuilds !== undefined) await Promise.all(hosts.map(({ id }) => hubs.wake(id)));
  return view;
}

/** Deletes a tenant that owns nothing. @throws ApiError `conflict` for the default tenant, or with the resources that the tenant still owns */
export async function deleteTenant(
  { db }: Pick<Dependencies, 'db'>,
  tenant: { id: string; name: string },
): Promise<void> {
  if (tenant.id === defaultTenantId) {
    throw new ApiError(
      'conflict',
      "The default tenant can't be deleted: it owns everything that no other tenant owns.",
    );
  }
  const left = await deleteRow(db, tenant.id);
  if (left)
    throw new ApiError(
      'conflict',
      `${tenant.name} still has ${sentenceOf(left)}. Delete or revoke them first.`,
    );
}

function sentenceOf({ projects, keys, members, runners, deletions }: TenantRemains): string {
  const kept = counted(deletions, 'deletion');
  const parts = [
    counted(projects, 'project'),
    counted(keys, 'key'),
    counted(members, 'member'),
    counted(runners, 'host'),
    kept && `${kept} that can be restored (purge with POST /api/system/deleted/:resourceId/purge)`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

const counted = (count: number, word: string) =>
  count === 0 ? '' : `${count} ${word}${count === 1 ? '' : 's'}`;
