/** What the whole instance uses of its Cloudflare account, as far as its database knows. */
import { and, eq, gt, isNotNull, sql, sum } from 'drizzle-orm';
import type { CountedUse } from '../../domain/instance/instance-costs.ts';
import { backups } from '../schema/backups.ts';
import { objectDays } from '../schema/tenant-days.ts';
import { tenantUsage } from '../schema/tenants.ts';
import type { Database } from '../sql/database.ts';

/** @param afterDay requests of the days after this one are counted */
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
