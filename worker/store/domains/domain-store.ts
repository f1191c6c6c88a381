/**
 * Custom domains. The schema ensures that a verified host name, generated or custom, exists only once in the instance, and that each name
 * exists only once in a tenant (violates 'UNIQUE').
 */
import { and, asc, eq, exists, or, type SQL, sql } from 'drizzle-orm';
import type { DomainState } from '../../../protocol/domain-state.ts';
import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';
import { domainsPerService } from '../../domain/domains/custom-domain.ts';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { domains } from '../schema/domains.ts';
import { services } from '../schema/services.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';

export type DomainRow = typeof domains.$inferSelect;

/** The custom domains of a service, in order of creation. */
export function selectDomains(db: Database, serviceId: string | SQL) {
  return db
    .select()
    .from(domains)
    .where(eq(domains.serviceId, serviceId))
    .orderBy(asc(domains.createdAt), asc(domains.id));
}

export function selectDomainWithService(db: Database, domainId: string) {
  return db
    .select({
      hostname: domains.hostname,
      isVerified: domains.isVerified,
      dnsDetail: domains.dnsDetail,
      service: columnsAs(services, 'service'),
    })
    .from(domains)
    .innerJoin(services, eq(services.id, domains.serviceId))
    .where(eq(domains.id, domainId));
}

/** The service of this project that has the name, custom or generated. */
export function selectNameHolder(db: Database, projectId: string, hostname: string) {
  return db
    .select({ slug: services.slug })
    .from(services)
    .where(
      and(
        eq(services.projectId, projectId),
        or(
          eq(services.generatedHostname, hostname),
          exists(
            db
              .select({ id: domains.id })
              .from(domains)
              .where(and(eq(domains.serviceId, services.id), eq(domains.hostname, hostname))),
          ),
        ),
      ),
    );
}

export function insertDomain(
  db: Database,
  domain: Pick<
    DomainRow,
    'id' | 'serviceId' | 'hostname' | 'isVerified' | 'status' | 'dnsDetail' | 'createdAt'
  >,
) {
  return db.insert(domains).values({ ...domain, updatedAt: domain.createdAt });
}

/**
 * The last statement of a batch. Makes the batch fail if the service then has too many domains: violates 'NOT NULL' in
 * `tooManyDomainsColumn`. Services of the default tenant have no limit.
 */
export function refuseTooManyDomains(db: Database, serviceId: string) {
  return db.run(sql`update services set routes_revision = null where id = ${serviceId}
    and (select count(*) from domains where service_id = ${serviceId}) > ${domainsPerService}
    and (select tenant_id from projects where projects.id = services.project_id) <> ${defaultTenantId}`);
}

export const tooManyDomainsColumn = 'services.routes_revision';

/** Renames a domain and clears the observations of the old name. Nothing is cleared if the name does not change. */
export function renameDomain(
  db: Database,
  domainId: string,
  to: Pick<DomainRow, 'hostname' | 'isVerified' | 'status' | 'dnsDetail'> & { now: number },
) {
  const { hostname, isVerified, status, dnsDetail, now } = to;
  const unlessSame = <T>(kept: SQL, fresh: T): SQL => sql`iif(hostname = ${hostname}, ${kept}, ${fresh})`;
  return db
    .update(domains)
    .set({
      hostname,
      isVerified: unlessSame(sql`is_proven`, Number(isVerified)),
      verificationCheckedAt: unlessSame(sql`proof_checked_at`, null),
      status: unlessSame(sql`status`, status),
      dnsDetail: unlessSame(sql`dns_detail`, dnsDetail),
      checkedAt: unlessSame(sql`checked_at`, null),
      certificate: unlessSame(sql`certificate`, null),
      updatedAt: now,
    })
    .where(eq(domains.id, domainId));
}

export function deleteDomain(db: Database, domainId: string) {
  return db.delete(domains).where(eq(domains.id, domainId));
}

/** The given names that are verified and whose service is on this host; states from other hosts are ignored. */
export function listDomainsOfHost(
  db: Database,
  runnerId: string,
  hostnames: readonly string[],
): Promise<DomainRow[]> {
  return db
    .select({ domain: domains })
    .from(domains)
    .innerJoin(services, eq(services.id, domains.serviceId))
    .where(
      sql`${services.runnerId} = ${runnerId} and ${domains.isVerified} and ${domains.hostname} in (select value from json_each(${JSON.stringify(hostnames)}))`,
    )
    .then((rows) => rows.map(({ domain }) => domain));
}

/** The state of a domain, as its host reports it. */
export interface SeenDomain {
  id: string;
  hostname: string;
  status: DomainRow['status'];
  dnsDetail: string | null;
  certificate: DomainState['certificate'];
}

/** One statement for any number of domains. A domain that has been renamed since does not change. */
export function writeSeenDomains(db: Database, seen: readonly SeenDomain[], now: number) {
  return db.run(sql`update domains set status = seen.value ->> 'status', dns_detail = seen.value ->> 'dnsDetail',
      certificate = seen.value -> 'certificate', checked_at = ${now}
    from json_each(${JSON.stringify(seen)}) as seen
    where domains.id = seen.value ->> 'id' and domains.hostname = seen.value ->> 'hostname' and is_proven`);
}

/** @param rules null to remove all */
export function setTrafficRules(db: Database, serviceId: string, rules: TrafficRules | null, now: number) {
  return db.update(services).set({ trafficRules: rules, updatedAt: now }).where(eq(services.id, serviceId));
}
