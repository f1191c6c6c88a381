/** Tenants, their use, and the guard that enforces their quotas. */
import { eq, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { newTenantQuotas, type RefusingQuota, type UsedQuotaName } from '../../domain/tenants/quotas.ts';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { projects } from '../schema/projects.ts';
import { tenants, tenantUsage } from '../schema/tenants.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';

export type TenantRow = typeof tenants.$inferSelect;
/** Without the token, which the database generates. */
export type NewTenant = Omit<TenantRow, 'nameToken'>;
export interface TenantView {
  tenant: NewTenant;
  /** Current usage, per quota. */
  usage: Record<UsedQuotaName, number>;
}

/** Counters of the tenant in `tenants`. Plain SQL text: in the selection of a single table, drizzle omits the table of a column. */
const counted = (column: SQLiteColumn) =>
  sql.raw(`(select ${column.name} from tenant_usage where tenant_usage.tenant_id = tenants.id)`);

/** Subquery: the size of all backups of the tenant in `tenants`, including deleted ones that are still stored. */
export const usedBackupBytes = counted(tenantUsage.backupBytes);

/** The use of a tenant, as subqueries for a statement on `tenants`. */
export const usage = {
  projects: counted(tenantUsage.projects),
  services: counted(tenantUsage.services),
  domains: counted(tenantUsage.domains),
  volumes: counted(tenantUsage.volumes),
  memoryMb: counted(tenantUsage.memoryMb),
  backupBytes: usedBackupBytes,
  logBytes: counted(tenantUsage.logBytes),
  diskMb: counted(tenantUsage.diskMb),
  keptDeletions: counted(tenantUsage.keptDeletions),
  keptDeletionBytes: counted(tenantUsage.keptDeletionBytes),
  buildMs: usedToday('build_ms'),
  buildLogBytes: usedToday('log_bytes'),
} as const;

/** Running deployments per tenant: the open jobs are read once for any number of tenants. */
const builds = sql`(select projects.tenant_id as tenant_id, count(*) as builds from jobs
  join services on services.id = jobs.service_id join projects on projects.id = services.project_id
  where jobs.state in ('queued', 'active') and jobs.state = 'active' and jobs.kind = 'deploy' group by projects.tenant_id)`;

/** A column of tenant_days for the current day. */
function usedToday(column: 'build_ms' | 'log_bytes') {
  return sql.raw(`(select coalesce(sum(${column}), 0) from tenant_days
    where tenant_days.tenant_id = tenants.id and tenant_days.day = unixepoch() / 86400)`);
}

/** A page of the tenants with their usage, oldest first. */
export function selectTenantPage(db: Database, page: Page) {
  const { after, orderBy, limit } = keysetOf({ at: tenants.createdAt, key: tenants.id }, 'oldest', page);
  return selectViews(db)
    .where(after)
    .orderBy(...orderBy)
    .limit(limit);
}

/** One tenant with its usage. */
export const selectTenants = (db: Database, tenantId: string) =>
  selectViews(db).where(eq(tenants.id, tenantId));

function selectViews(db: Database) {
  const number = (text: SQL, name: string) => sql<number>`${text}`.as(name);
  return db
    .select({
      tenant: columnsAs(tenants, 'tenant'),
      usage: {
        projects: number(usage.projects, 'used_projects'),
        services: number(usage.services, 'used_services'),
        domains: number(usage.domains, 'used_domains'),
        volumes: number(usage.volumes, 'used_volumes'),
        memoryMb: number(usage.memoryMb, 'used_memory_mb'),
        concurrentBuilds: number(sql`coalesce(at_work.builds, 0)`, 'used_builds'),
        backupBytes: number(usage.backupBytes, 'used_backup_bytes'),
        logBytes: number(usage.logBytes, 'used_log_bytes'),
        diskMb: number(usage.diskMb, 'used_disk_mb'),
        keptDeletions: number(usage.keptDeletions, 'used_kept'),
        keptDeletionBytes: number(usage.keptDeletionBytes, 'used_kept_bytes'),
        buildMinutesPerDay: number(sql`(${usage.buildMs} + 59999) / 60000`, 'used_build_minutes'),
        buildLogBytesPerDay: number(usage.buildLogBytes, 'used_build_log_bytes'),
      },
    })
    .from(tenants)
    .leftJoin(sql`${builds} as at_work`, sql`at_work.tenant_id = tenants.id`);
}

export async function findTenantOfProject(db: Database, projectId: string): Promise<TenantView | undefined> {
  const [project] = await db
    .select({ tenantId: projects.tenantId })
    .from(projects)
    .where(eq(projects.id, projectId));
  if (!project) return undefined;
  const [found] = await selectTenants(db, project.tenantId);
  return found;
}

export function selectTenantById(db: Database, tenantId: string) {
  return db
    .select({ tenant: columnsAs(tenants, 'tenant') })
    .from(tenants)
    .where(eq(tenants.id, tenantId))
    .limit(1);
}

/** One row if there is a tenant besides the default one. */
export function selectOtherTenant(db: Database) {
  return db.select({ id: tenants.id }).from(tenants).where(sql`id <> ${defaultTenantId}`).limit(1);
}

/**
 * The last statement of a batch. Makes the batch fail if the tenant then exceeds one of these quotas, so that two concurrent requests
 * can't both use the rest. It violates a rule of the schema on purpose; check with `violates(error, 'NOT NULL', overQuotaColumn)`.
 */
export function refuseOverQuota(db: Database, tenantId: string | SQL, quotas: readonly RefusingQuota[]) {
  const over = quotas.map((name) => sql`${usage[name]} > tenants.quotas ->> ${name}`);
  const condition = over.length === 0 ? sql`0` : sql.join(over, sql` or `);
  return db.run(sql`update tenants set quotas = null where id = ${tenantId} and (${condition})`);
}

export type QuotaGuard = ReturnType<typeof refuseOverQuota>;

export const overQuotaColumn = 'tenants.quotas';

export function insertTenant(db: Database, tenant: NewTenant) {
  return db.insert(tenants).values(tenant);
}

/**
 * Gives the default tenant the quotas of a new one, for the batch that creates the second tenant: after that its keys must not fill the
 * database either. Existing quotas do not change; a new one is at least twice the present use, so nothing is refused at once.
 */
export function limitDefaultTenant(db: Database) {
  const quotas = Object.entries(newTenantQuotas).flatMap(([name, value]) => [
    sql`${name}`,
    sql`max(${value}, 2 * ${usage[name as keyof typeof newTenantQuotas]})`,
  ]);
  return db.run(sql`update tenants set quotas = json_patch(json_object(${sql.join(quotas, sql`, `)}), quotas)
    where id = ${defaultTenantId} and (select count(*) from tenants as other where other.id <> ${defaultTenantId}) = 1`);
}

export function updateTenant(
  db: Database,
  tenantId: string,
  changes: Partial<Pick<TenantRow, 'name' | 'quotas'>>,
) {
  return db.update(tenants).set(changes).where(eq(tenants.id, tenantId));
}

/** Resources that prevent the deletion of a tenant. */
export interface TenantRemains {
  projects: number;
  keys: number;
  members: number;
  runners: number;
  /** Deleted projects, services and backups that are still stored. */
  deletions: number;
}

/** Deletes a tenant that owns nothing except revoked keys and hosts. @returns null if it was deleted, otherwise the number of its resources */
export async function deleteTenant(db: Database, tenantId: string): Promise<TenantRemains | null> {
  const isEmpty = sql`not exists (select 1 from projects where tenant_id = ${tenantId})
    and not exists (select 1 from api_keys where tenant_id = ${tenantId} and revoked_at is null and kind <> 'trust-policy')
    and not exists (select 1 from runners where tenant_id = ${tenantId} and revoked_at is null)
    and not exists (select 1 from deletions where tenant_id = ${tenantId})`;
  const [remains, , , , , , , , , , , deleted] = await db.batch([
    db.all<TenantRemains>(sql`select
      (select count(*) from projects where tenant_id = ${tenantId}) as projects,
      (select count(*) from api_keys where tenant_id = ${tenantId} and revoked_at is null and kind = 'key') as keys,
      (select count(*) from members where tenant_id = ${tenantId}) as members,
      (select count(*) from runners where tenant_id = ${tenantId} and revoked_at is null) as runners,
      (select count(*) from deletions where tenant_id = ${tenantId}) as deletions`),
    db.run(sql`delete from api_keys where tenant_id = ${tenantId} and ${isEmpty}`),
    db.run(sql`delete from enrolment_tokens where tenant_id = ${tenantId} and ${isEmpty}`),
    db.run(sql`delete from git_credentials where tenant_id = ${tenantId} and ${isEmpty}`),
    db.run(sql`delete from github_apps where tenant_id = ${tenantId} and ${isEmpty}`),
    db.run(sql`delete from registries where tenant_id = ${tenantId} and ${isEmpty}`),
    db.run(sql`delete from notification_channels where tenant_id = ${tenantId} and ${isEmpty}`),
    db.run(sql`delete from identity_providers where tenant_id = ${tenantId} and ${isEmpty}`),
    db.run(sql`delete from removed_members where tenant_id = ${tenantId} and ${isEmpty}`),
    db.run(sql`delete from backup_keys where tenant_id = ${tenantId} and ${isEmpty}`),
    db.run(sql`update runners set tenant_id = null where tenant_id = ${tenantId} and ${isEmpty}`),
    db.all(sql`delete from tenants where id = ${tenantId} and ${isEmpty} returning id`),
  ]);
  return deleted.length > 0
    ? null
    : (remains[0] ?? { projects: 0, keys: 0, members: 0, runners: 0, deletions: 0 });
}
