/** The use of tenants today, and their limits. */
import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { dayOf } from '../../domain/tenants/tenant-day.ts';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { tenantDays } from '../schema/tenant-days.ts';
import { tenants } from '../schema/tenants.ts';
import type { Database } from '../sql/database.ts';
import { namedBy } from '../sql/scoped-store.ts';

export type TenantDay = Pick<typeof tenantDays.$inferSelect, 'day' | 'buildMs' | 'logBytes'>;

/** Subquery: bytes of the logs that a tenant has stored. */
export const storedLogBytesOf = (tenantId: SQLiteColumn) =>
  sql<number>`coalesce((select log_bytes from tenant_usage where tenant_usage.tenant_id = ${tenantId}), 0)`;

/** The tenant of the caller's key with its quotas. */
export function selectTenantOfToken(db: Database, tokenId: string) {
  return db
    .select({ id: tenants.id, quotas: tenants.quotas })
    .from(apiKeys)
    .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
    .where(namedBy(tokenId))
    .limit(1);
}

/** The last day on which the tenant of the caller's key used anything; `day` may be in the past. */
export function selectLastDayOfToken(db: Database, tokenId: string) {
  const { day, buildMs, logBytes } = tenantDays;
  return db
    .select({ day, buildMs, logBytes })
    .from(tenantDays)
    .innerJoin(apiKeys, eq(apiKeys.tenantId, tenantDays.tenantId))
    .where(namedBy(tokenId))
    .orderBy(desc(tenantDays.day))
    .limit(1);
}

export function selectTenantDay(db: Database, tenantId: string, now: number) {
  const { day, buildMs, logBytes } = tenantDays;
  return db
    .select({ day, buildMs, logBytes })
    .from(tenantDays)
    .where(and(eq(tenantDays.tenantId, tenantId), eq(tenantDays.day, dayOf(now))));
}

/**
 * Adds an ending deployment or command to the day of its tenant, for a batch. Its time counts only if it built something: images, databases,
 * rollbacks, restarts, commands and the start at the end of a move do not.
 * @param holds condition on `jobs`: this statement is the one that ends the job
 */
export function addToTenantDay(
  db: Database,
  ended: { jobId: string; at: number; logBytes: number },
  holds: SQL,
) {
  const { jobId, at, logBytes } = ended;
  // The service may have got another source since the deployment started.
  const isBuilt = sql`(services.kind in ('git', 'upload') or deployments.commit_sha is not null or deployments.source_digest is not null)`;
  const built = sql`iif(${isBuilt} and jobs.kind = 'deploy' and deployments.source_deployment_id is null and not ${startsPrepared}, ${at} - ifnull(jobs.claimed_at, ${at}), 0)`;
  return db.run(sql`insert into tenant_days (tenant_id, day, build_ms, log_bytes)
    select projects.tenant_id, ${dayOf(at)}, max(0, ${built}), ${logBytes}
    from jobs join services on services.id = jobs.service_id join projects on projects.id = services.project_id
      join tenants on tenants.id = projects.tenant_id left join deployments on deployments.job_id = jobs.id
    where jobs.id = ${jobId} and ${holds} and ${isLimited}
    on conflict (tenant_id, day) do update
      set build_ms = build_ms + excluded.build_ms, log_bytes = log_bytes + excluded.log_bytes`);
}

/** Condition on `jobs`: the job starts the image that the first job of its move has built. */
const startsPrepared = sql`exists (select 1 from volume_moves join jobs first on first.id = volume_moves.job_ids ->> 0
  where volume_moves.service_id = jobs.service_id and first.kind = 'deploy' and first.id <> jobs.id
    and volume_moves.job_ids ->> '$[#-1]' = jobs.id)`;

/** Condition on `tenants`: the tenant may have daily limits. The default tenant has none without a quota, and then needs no row. */
const isLimited = sql`(tenants.id <> ${defaultTenantId}
  or exists (select 1 from json_each(tenants.quotas) where key in ('buildMinutesPerDay', 'buildLogBytesPerDay')))`;

/** Deletes days before this time. */
export function deleteTenantDays(db: Database, before: number) {
  return db.run(sql`delete from tenant_days where day < ${dayOf(before)}`);
}
