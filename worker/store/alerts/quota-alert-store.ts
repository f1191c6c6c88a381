/** Facts for alerts about quotas: the used part of each quota, and quotas that refused something. */
import { sql } from 'drizzle-orm';
import { cronThresholds } from '../../domain/alerts/alerts.ts';
import type { UsedQuotaName } from '../../domain/tenants/quotas.ts';
import { defaultTenantId, type TenantLimits } from '../../domain/tenants/tenant-limits.ts';
import { usage } from '../projects/tenant-store.ts';
import { quotaRefusals } from '../schema/tenants.ts';
import type { Database } from '../sql/database.ts';
import type { SeenAlert } from './alert-change-store.ts';
import { openAlertsFirst } from './open-alerts-first.ts';

type Found = Pick<SeenAlert, 'rule' | 'subjectId' | 'detail'> & { tenantId: string };

/** Pause between two writes about the same quota: a caller that repeats its request causes no further writes. */
const noteMs = 5 * 60_000;

/** Stores that a quota refused something. @param tenant the tenant's id, or one of its projects */
export const noteRefusal = (
  db: Database,
  tenant: string | { projectId: string },
  quota: string,
  at: number,
) => {
  const isIt =
    typeof tenant === 'string'
      ? sql`id = ${tenant}`
      : sql`id = (select tenant_id from projects where id = ${tenant.projectId})`;
  return db.run(sql`insert into quota_refusals (tenant_id, quota, refused_at)
    select id, ${quota}, ${at} from tenants where ${isIt}
    on conflict (tenant_id, quota) do update set refused_at = excluded.refused_at where refused_at < ${at - noteMs}`);
};

/** For the batch that changes the quotas of a tenant: earlier refusals do not apply to the new quotas. */
export const forgetRefusals = (db: Database, tenantId: string) =>
  db.delete(quotaRefusals).where(sql`${quotaRefusals.tenantId} = ${tenantId}`);

/** Quotas that refused something recently. */
export const findRefusingQuotas = (db: Database, now: number) =>
  openAlertsFirst<Found>(
    db,
    'quotaRefused',
    sql`select 'quotaRefused' as rule, tenant_id || '/' || quota as subjectId, tenant_id as tenantId,
      'The quota "' || quota || '" refused something on ' || strftime('%Y-%m-%d at %H:%M', refused_at / 1000, 'unixepoch')
        || ' UTC. Free some, or ask the operator to raise it.' as detail
    from quota_refusals where refused_at > ${now - cronThresholds.quotaRefusedMs}`,
  );

/** The quotas that are checked. Concurrent builds are excluded, because builds wait by design. */
const watched = {
  ...{ projects: usage.projects, services: usage.services, domains: usage.domains, volumes: usage.volumes },
  ...{ memoryMb: usage.memoryMb, backupBytes: usage.backupBytes, logBytes: usage.logBytes },
  ...{ diskMb: usage.diskMb, keptDeletions: usage.keptDeletions },
  keptDeletionBytes: usage.keptDeletionBytes,
  buildMinutesPerDay: sql`${usage.buildMs} / 60000`,
  buildLogBytesPerDay: usage.buildLogBytes,
} satisfies { [Name in Exclude<UsedQuotaName, 'concurrentBuilds'>]: unknown };

/** Reads the counters of all tenants once. @param limits of the instance for each tenant except the default one */
export function findFullQuotas(
  db: Database,
  limits: Pick<TenantLimits, 'buildMinutesPerDay' | 'buildLogBytesPerDay'>,
) {
  const ofInstance = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== null));
  const used = Object.entries(watched).map(([name, count]) => sql`when ${name} then ${count}`);
  const { from, until } = cronThresholds.quotaNear;
  const isTold = sql`exists (select 1 from alerts where subject_id = tenantId || '/' || quota and rule = 'quotaNear' and resolved_at is null)`;
  return openAlertsFirst<Found>(
    db,
    'quotaNear',
    sql`select 'quotaNear' as rule, tenantId || '/' || quota as subjectId, tenantId,
      'Of the quota "' || quota || '", ' || cast(100.0 * used / most as integer) || ' % are used: ' || used || ' of ' || most
        || '. Free some, or ask the operator to raise it.' as detail
    from (select tenants.id as tenantId, given.key as quota, given.value as most,
        case given.key ${sql.join(used, sql` `)} else 0 end as used
      from tenants, json_each(iif(tenants.id = ${defaultTenantId}, tenants.quotas,
        json_patch(${JSON.stringify(ofInstance)}, tenants.quotas))) as given where given.value > 0)
    where used >= ${until} * most and (used >= ${from} * most or ${isTold})`,
  );
}
