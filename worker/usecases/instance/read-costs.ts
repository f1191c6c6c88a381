import { type CostItem, countedDays, estimateCosts } from '../../domain/instance-costs.ts';
import { dayOf } from '../../domain/tenant-day.ts';
import { readInstanceUse } from '../../store/instance-use-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readSettings } from './change-settings.ts';

/** What Cloudflare would bill for a month like the last one. Copies in a bucket of the operator's own are billed by somebody else. */
export async function readCosts(
  deps: Pick<Dependencies, 'db' | 'now'>,
): Promise<{ items: CostItem[]; dollarsPerMonth: number }> {
  const [{ backupBucket }, used] = await Promise.all([
    readSettings(deps),
    readInstanceUse(deps.db, dayOf(deps.now()) - countedDays),
  ]);
  return estimateCosts(backupBucket === null ? used : { ...used, backupBytes: 0 });
}
