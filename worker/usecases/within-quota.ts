import { ApiError } from '../domain/errors.ts';
import { quotaExceeded, type RefusingQuota } from '../domain/quotas.ts';
import { violates } from '../store/store-failure.ts';
import { overQuotaColumn, selectTenants } from '../store/tenant-store.ts';
import type { Dependencies } from './dependencies.ts';

/** How much more of each is wanted. */
export type Asked = { [Name in RefusingQuota]?: number };

export const askedQuotas = (asked: Asked) => Object.keys(asked) as RefusingQuota[];

/**
 * Runs a write whose batch ends with `refuseOverQuota`.
 * @throws ApiError `quota_exceeded` with the numbers when it was refused: nothing was written.
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
    throw new ApiError(
      'conflict',
      'What the quota allows was taken and freed at the same moment: try again.',
    );
  }
}
