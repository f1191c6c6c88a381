import type { DnsProviderId } from '../../domain/dns-providers.ts';
import { ApiError } from '../../domain/errors.ts';
import { proofRecord } from '../../domain/name-proof.ts';
import { defaultTenantId } from '../../domain/tenant.ts';
import type { DomainRow } from '../../store/domain-store.ts';
import { markProven, releaseHold } from '../../store/name-proof-store.ts';
import type { ServiceRow } from '../../store/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { createDnsRecord, type DnsRecordResult } from './create-dns-record.ts';
import { writeNames } from './names-tasks.ts';
import { readNameRules } from './read-name-rules.ts';

interface LoadedDomain {
  domain: DomainRow;
  service: ServiceRow;
  project: { tenantId: string };
}

/**
 * Points a custom domain to its host at a connected provider. The accounts are the operator's: a zone in them proves a name of the default
 * tenant, and another tenant may only point names that it has proven with a TXT record, or it could change the operator's zones.
 * @returns the result of the API response, and the domain
 * @throws ApiError `conflict` for a name of another tenant that is not proven; and as `createDnsRecord`
 */
export async function setUpDns(
  deps: Dependencies,
  { domain, service, project }: LoadedDomain,
  provider: DnsProviderId,
): Promise<DnsRecordResult & { domain: DomainRow }> {
  const { tenantId } = project;
  if (tenantId !== defaultTenantId) await assertProvenByRecord(deps, domain, tenantId);
  const subject = { hostname: domain.hostname, runnerId: service.runnerId };
  const result = await createDnsRecord(deps, subject, provider);
  if (domain.isProven) return { ...result, domain };
  await writeNames(() =>
    deps.db.batch([releaseHold(deps.db, domain.hostname), markProven(deps.db, domain, deps.now())]),
  );
  return { ...result, domain: { ...domain, isProven: true, dnsDetail: null } };
}

/** @throws ApiError `conflict`, `unsupported` */
async function assertProvenByRecord(
  deps: Dependencies,
  { hostname, isProven }: DomainRow,
  tenantId: string,
): Promise<void> {
  const rules = await readNameRules(deps, tenantId);
  if (rules.rootDomain !== null && hostname.endsWith(`.${rules.rootDomain}`)) {
    throw new ApiError(
      'unsupported',
      `${hostname} is below the root domain of this instance, whose DNS the operator manages: it needs no record of its own.`,
    );
  }
  if (isProven) return;
  const { name, value } = proofRecord(hostname, rules.token);
  throw new ApiError(
    'conflict',
    `${hostname} is not verified yet: first create the TXT record ${name} with the value ${value} at your provider, then try again.`,
  );
}
