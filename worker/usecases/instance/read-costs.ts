import { type Costs, countedDays, estimateCosts } from '../../domain/instance/instance-costs.ts';
import { dayOf } from '../../domain/tenants/tenant-day.ts';
import { readInstanceUse } from '../../store/instance/object-day-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readSettings } from './change-settings.ts';

const dayMs = 86_400_000;

interface ReadCosts extends Costs {
  /** Whether Cloudflare's measurements are read, and why some are missing. */
  analytics: { isSet: boolean; problem: string | null };
}

/** Cloudflare's bill for a month like the last one. Without copies in the operator's own bucket, which another provider bills. */
export async function readCosts(
  deps: Pick<Dependencies, 'db' | 'now' | 'accountAnalytics'>,
): Promise<ReadCosts> {
  const now = deps.now();
  const days = { first: dateOf(now - (countedDays - 1) * dayMs), last: dateOf(now) };
  const [{ backupBucket }, used, measured] = await Promise.all([
    readSettings(deps),
    readInstanceUse(deps.db, dayOf(now) - countedDays),
    deps.accountAnalytics?.read(days),
  ]);
  const counted = backupBucket === null ? used : { ...used, backupBytes: 0 };
  return {
    ...estimateCosts(counted, measured?.use),
    analytics: { isSet: measured !== undefined, problem: measured?.problem ?? null },
  };
}

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
