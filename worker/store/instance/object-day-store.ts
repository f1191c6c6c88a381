/** Counted requests to objects today, their budget, and the use of the Cloudflare account by the whole instance. */
import { and, eq, gt, isNotNull, lt, sql, sum } from 'drizzle-orm';
import type { CountedUse } from '../../domain/instance/instance-costs.ts';
import { defaultSettings } from '../../domain/instance/settings.ts';
import type { DayUse } from '../../domain/logs/log-pace.ts';
import { dayOf } from '../../domain/tenants/tenant-day.ts';
import { backups } from '../schema/backups.ts';
import { settings } from '../schema/settings.ts';
import { objectDays } from '../schema/tenant-days.ts';
import { tenantUsage } from '../schema/tenants.ts';
import type { Database } from '../sql/database.ts';

const daysKept = 31;

/** The statement for a batch. */
export function selectDayUse(db: Database, now: number) {
  return db.all<{ used: number | null; budget: number | null }>(sql`select
    (select ${objectDays.requests} from ${objectDays} where ${objectDays.day} = ${dayOf(now)}) as used,
    (select json_extract(${settings.value}, '$') from ${settings} where ${settings.name} = 'objectRequestsPerDay') as budget`);
}

export const dayUseOf = ([row]: { used: number | null; budget: number | null }[]): DayUse => ({
  used: row?.used ?? 0,
  budget: row?.budget ?? defaultSettings.objectRequestsPerDay,
});

/** Adds requests to today's count, and reads it. @param requests 0 to read only */
export async function addObjectRequests(db: Database, requests: number, now: number): Promise<DayUse> {
  const read = selectDayUse(db, now);
  if (requests === 0) return dayUseOf(await read);
  const day = dayOf(now);
  const [, , rows] = await db.batch([
    db
      .insert(objectDays)
      .values({ day, requests })
      .onConflictDoUpdate({
        target: objectDays.day,
        set: { requests: sql`${objectDays.requests} + ${requests}` },
      }),
    db.delete(objectDays).where(lt(objectDays.day, day - daysKept)),
    read,
  ]);
  return dayUseOf(rows);
}

/**
 * The use of the Cloudflare account by the whole instance, as far as its database shows it.
 * @param afterDay only requests of the days after this one are counted
 */
export async function readInstanceUse(db: Database, afterDay: number): Promise<CountedUse> {
  const [[requests], [logs], [copies]] = await db.batch([
    db
      .select({ all: sum(objectDays.requests) })
      .from(objectDays)
      .where(gt(objectDays.day, afterDay)),
    db.select({ all: sum(tenantUsage.logBytes) }).from(tenantUsage),
    db
      .select({ all: sum(backups.sizeBytes) })
      .from(backups)
      .where(and(eq(backups.status, 'succeeded'), isNotNull(backups.remoteKey))),
  ]);
  const { meta } = await db.run(sql`select 1`);
  return {
    objectRequests: Number(requests?.all ?? 0),
    logBytes: Number(logs?.all ?? 0),
    databaseBytes: meta.size_after,
    backupBytes: Number(copies?.all ?? 0),
  };
}
