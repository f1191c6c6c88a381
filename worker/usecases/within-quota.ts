import { ApiError } from '../domain/errors.ts';
import { quotaExceeded, type RefusingQuota } from '../domain/tenants/quotas.ts';
import { findTenantOfProject, overQuotaColumn, selectTenants } from '../store/projects/tenant-store.ts';
import { violates } from '../store/sql/store-failure.ts';
import type { Dependencies } from './dependencies.ts';

/** The additional amount of each quota that a request needs. */
export type Asked = { [Name in RefusingQuota]?: number };

export const askedQuotas = (asked: Asked) => Object.keys(asked) as RefusingQuota[];

/**
 * Runs a write whose batch ends with `refuseOverQuota`.
 * @throws ApiError `quota_exceeded` with the numbers if the quota was exceeded; nothing was written then
 */
export async function withinQuota<Result>(
  { db }: Pick<Dependencies, 'db'>,
  tenantId: string,
  asked: Asked,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!violates(error, 'NOT NULL', overQuotaColumn)) throw error;
    const [[found]] = await db.batch([selectTenants(db, tenantId)]);
    for (const name of askedQuotas(asked)) {
      const numbers = { used: found?.usage[name] ?? 0, asked: asked[name] ?? 0 };
      const ceiling = found?.tenant.quotas[name];
      if (ceiling !== undefined && numbers.used + numbers.asked > ceiling) {
        throw quotaExceeded(name, { ...numbers, ceiling });
      }
    }
    throw new ApiError('conflict', 'The usage of the quota changed during this request: try again.');
  }
}

/**
 * Refuses a data job for a tenant that is already above its disk quota: the job may double the data's size on the disk, and the result
 * is measured only later.
 * @throws ApiError `quota_exceeded`
 */
export async function assertDiskQuota(
  { db }: Pick<Dependencies, 'db'>,
  { projectId }: { projectId: string },
): Promise<void> {
  const found = await findTenantOfProject(db, projectId);
  const ceiling = found?.tenant.quotas.diskMb;
  const used = found?.usage.diskMb ?? 0;
  if (ceiling !== undefined && used > ceiling) throw quotaExceeded('diskMb', { used, asked: 0, ceiling });
}
