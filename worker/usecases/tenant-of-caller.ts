/** The limits of the tenant whose key calls, read in the same batch as the key. */
import { settingsOf } from '../domain/instance/settings.ts';
import { assertBuildMinutes, dayOf } from '../domain/tenants/tenant-day.ts';
import { limitsOfTenant, type TenantLimits } from '../domain/tenants/tenant-limits.ts';
import type { LogReader } from '../gateways/log-reader.ts';
import { type SettingRow, selectSettings } from '../store/instance/settings-store.ts';
import {
  selectLastDayOfToken,
  selectTenantOfToken,
  type TenantDay,
} from '../store/projects/tenant-day-store.ts';
import type { Database } from '../store/sql/database.ts';

export interface TenantOfCaller {
  tenants: Awaited<ReturnType<typeof selectTenantOfToken>>;
  settings: SettingRow[];
}

export const tenantOfCallerStatements = (db: Database, tokenId: string) => ({
  tenants: selectTenantOfToken(db, tokenId),
  settings: selectSettings(db),
});

/** @throws Error if the key has no tenant, which the schema forbids */
function limitsOfCaller({ tenants: [tenant], settings }: TenantOfCaller): TenantLimits {
  if (!tenant) throw new Error('The key that calls has no tenant.');
  return limitsOfTenant(tenant, settingsOf(settings));
}

/** The key as the reader of a log, with the number of streams that it may have open. */
export const logReaderOf = (keyId: string, tenant: TenantOfCaller): LogReader => ({
  keyId,
  streamsMax: limitsOfCaller(tenant).logReadersPerKey,
});

export const buildMinutesStatements = (db: Database, tokenId: string) => ({
  ...tenantOfCallerStatements(db, tokenId),
  days: selectLastDayOfToken(db, tokenId),
});

/** @throws ApiError `quota_exceeded` if the tenant has no build minutes left today */
export function assertBuildMinutesLeft(read: TenantOfCaller & { days: TenantDay[] }, now: number): void {
  const today = read.days.find(({ day }) => day === dayOf(now));
  assertBuildMinutes(limitsOfCaller(read).buildMinutesPerDay, today?.buildMs ?? 0);
}
