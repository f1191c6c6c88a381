/** Requests to objects that were counted today, and the budget for them. */
import { lt, sql } from 'drizzle-orm';
import { defaultSettings } from '../../domain/instance/settings.ts';
import type { DayUse } from '../../domain/logs/log-pace.ts';
import { dayOf } from '../../domain/tenants/tenant-day.ts';
import { settings } from '../schema/settings.ts';
import { objectDays } from '../schema/tenant-days.ts';
import type { Database } from '../sql/database.ts';

const daysKept = 31;

/** For a batch. */
export function selectDayUse(db: Database, now: number) {
  return db.all<{ used: number | null; budget: number | null }>(sql`select
    (select ${objectDays.requests} from ${objectDays} where ${objectDays.day} = ${dayOf(now)}) as used,
    (select json_extract(${settings.value}, '$') from ${settings} where ${settings.name} = 'objectRequestsPerDay') as budget`);
}

export const dayUseOf = ([row]: { used: number | null; budget: number | null }[]): DayUse => ({
  used: row?.used ?? 0,
  budget: row?.budget ?? defaultSettings.objectRequestsPerDay,
});

/** Adds requests to today's, and reads them. @param requests 0: only reads */
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
