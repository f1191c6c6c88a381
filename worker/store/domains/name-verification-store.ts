/** Domains, and the verification that their tenant controls them (domain/name-verification). */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { domains, heldNames } from '../schema/domains.ts';
import { projects } from '../schema/projects.ts';
import { services } from '../schema/services.ts';
import { tenants } from '../schema/tenants.ts';
import type { Database } from '../sql/database.ts';

/** The token for the TXT records of a tenant, and whether the instance has several tenants. One row. */
export function selectNameOwner(db: Database, tenantId: string | SQL) {
  return db
    .select({
      tenantId: tenants.id,
      token: tenants.nameToken,
      isShared: sql<number>`exists (select 1 from tenants as other where other.id <> ${defaultTenantId})`.as(
        'is_shared',
      ),
    })
    .from(tenants)
    .where(eq(tenants.id, tenantId));
}

/** Subquery: the tenant of a service. @param serviceId may be a subquery itself */
export const tenantOfService = (serviceId: SQL): SQL => sql`(select projects.tenant_id from projects
  join services as owned on owned.project_id = projects.id where owned.id = ${serviceId})`;

/** A domain with the facts for its verification. */
export interface VerifiableDomain {
  id: string;
  hostname: string;
  serviceId: string;
  tenantId: string;
  token: string;
}

const provableColumns = {
  id: domains.id,
  hostname: domains.hostname,
  serviceId: domains.serviceId,
  runnerId: services.runnerId,
  tenantId: projects.tenantId,
  token: tenants.nameToken,
};

function selectVerifiable(db: Database) {
  return db
    .select(provableColumns)
    .from(domains)
    .innerJoin(services, eq(services.id, domains.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(tenants, eq(tenants.id, projects.tenantId));
}

/** The verified domain with this name, with its host; none if no tenant has verified it. */
export function selectVerified(db: Database, hostname: string) {
  return selectVerifiable(db).where(and(eq(domains.hostname, hostname), sql`is_proven`));
}

/** A new name is looked up every minute, an old one less often: after a tenth of its age, at least once an hour. */
const [intervalMsMin, intervalMsMax, ageShare] = [60_000, 3_600_000, 10];

/**
 * Unverified domains whose verification is due. The tenants take turns, so that one with a thousand names does not delay the others.
 * @param count maximum number of rows to return
 */
export function selectDueVerifications(db: Database, now: number, count: number) {
  return db.all<VerifiableDomain & { runnerId: string }>(sql`select * from (
      select domains.id, domains.hostname, domains.service_id as serviceId, services.runner_id as runnerId,
        projects.tenant_id as tenantId, tenants.name_token as token, proof_checked_at as checkedAt,
        row_number() over (partition by projects.tenant_id order by proof_checked_at, domains.id) as turn
      from domains join services on services.id = domains.service_id join projects on projects.id = services.project_id
        join tenants on tenants.id = projects.tenant_id
      where not is_proven and coalesce(proof_checked_at, 0)
        + max(${intervalMsMin}, min(${intervalMsMax}, (${now} - domains.updated_at) / ${ageShare})) <= ${now})
    order by turn, checkedAt limit ${count}`);
}

const unchanged = ({ id, hostname }: Pick<VerifiableDomain, 'id' | 'hostname'>) =>
  and(eq(domains.id, id), eq(domains.hostname, hostname));

/** Assigns the name to the tenant. Violates 'UNIQUE' if another tenant has verified it since. */
export function markVerified(db: Database, domain: Pick<VerifiableDomain, 'id' | 'hostname'>, now: number) {
  return db
    .update(domains)
    .set({ isVerified: true, verificationCheckedAt: now, dnsDetail: null })
    .where(unchanged(domain));
}

/** Takes the name from a tenant that can no longer verify it. Its domain then waits for a verification. */
export function markUnverified(
  db: Database,
  domain: Pick<VerifiableDomain, 'id' | 'hostname'>,
  { detail, now }: { detail: string; now: number },
) {
  return db
    .update(domains)
    .set({
      isVerified: false,
      status: 'pending',
      verificationCheckedAt: now,
      dnsDetail: detail,
      certificate: null,
      checkedAt: null,
      updatedAt: now,
    })
    .where(unchanged(domain));
}

/** Stores why the verification is missing. */
export function recordVerificationCheck(
  db: Database,
  domain: Pick<VerifiableDomain, 'id' | 'hostname'>,
  { detail, now }: { detail: string; now: number },
) {
  return db
    .update(domains)
    .set({ verificationCheckedAt: now, dnsDetail: detail })
    .where(and(unchanged(domain), sql`not is_proven`));
}

/** Ends the reservation of a name that its new tenant has verified. */
export function releaseHold(db: Database, hostname: string) {
  return db.delete(heldNames).where(eq(heldNames.hostname, hostname));
}

export function pruneHeldNames(db: Database) {
  return db.run(sql`delete from held_names where held_until < unixepoch() * 1000`);
}

/** One row if another tenant uses this name, for a service or a database, or had it until recently. */
export function selectForeignUse(db: Database, hostname: string, tenantId: string) {
  return db.all(sql`select 1 from services join projects on projects.id = services.project_id
      where tenant_id <> ${tenantId} and (generated_hostname = ${hostname} or database_public_hostname = ${hostname})
    union all select 1 from domains join services on services.id = domains.service_id
      join projects on projects.id = services.project_id
      where hostname = ${hostname} and is_proven and tenant_id <> ${tenantId}
    union all select 1 from held_names where hostname = ${hostname} and tenant_id <> ${tenantId}
      and held_until > unixepoch() * 1000 limit 1`);
}
