import type { DnsProviderId } from '../../domain/dns-providers.ts';
import { ApiError } from '../../domain/errors.ts';
import { type NameRules, needsProof, ownsDnsAccounts, proofRecord } from '../../domain/name-proof.ts';
import type { DomainRow } from '../../store/domain-store.ts';
import { markProven, releaseHold } from '../../store/name-proof-store.ts';
import type { ServiceRow } from '../../store/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { createDnsRecord, type DnsRecordResult } from './create-dns-record.ts';
import { writeNames } from './names-tasks.ts';
import { readNameRules } from './read-name-rules.ts';
import { type ProofRecordResult, writeProofRecord } from './write-proof-record.ts';

interface LoadedDomain {
  domain: DomainRow;
  service: ServiceRow;
  project: { tenantId: string };
}

/** The `result` of the API response, and what changed beside it. */
export interface DnsSetUp {
  result: DnsRecordResult;
  domain: DomainRow;
  /** The tenant's text for TXT records. */
  token: string;
  /** Undefined if the domain needs none. */
  proofRecord: ProofRecordResult | undefined;
}

/**
 * Points a custom domain to its host at a connected provider. For a domain of the tenant that owns the account it also makes the TXT record
 * that verifies the name; a confirmed zone in the account verifies it at once. Another tenant may only point names that it has verified
 * with a TXT record of its own making, or it could change the operator's zones and get names in them.
 * @throws ApiError `conflict` for a name of another tenant that is not proven; and as `createDnsRecord`
 */
export async function setUpDns(
  deps: Dependencies,
  { domain, service, project: { tenantId } }: LoadedDomain,
  provider: DnsProviderId,
): Promise<DnsSetUp> {
  const rules = await readNameRules(deps, tenantId);
  const isOwner = ownsDnsAccounts(tenantId);
  if (!isOwner) assertProvenByRecord(domain, rules);
  const subject = { hostname: domain.hostname, runnerId: service.runnerId };
  const { result, ...place } = await createDnsRecord(deps, subject, provider);
  const mustProve = needsProof(domain.hostname, rules);
  const proof =
    isOwner && mustProve
      ? await writeProofRecord(deps, place, {
          hostname: domain.hostname,
          providerId: provider,
          owner: rules,
        })
      : undefined;
  const outcome = { result, token: rules.token, proofRecord: proof };
  if (domain.isProven || (mustProve && !place.zone.isConfirmed)) return { ...outcome, domain };
  await writeNames(() =>
    deps.db.batch([releaseHold(deps.db, domain.hostname), markProven(deps.db, domain, deps.now())]),
  );
  return { ...outcome, domain: { ...domain, isProven: true, dnsDetail: null } };
}

/** @throws ApiError `conflict`, `unsupported` */
function assertProvenByRecord({ hostname, isProven }: DomainRow, rules: NameRules): void {
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
