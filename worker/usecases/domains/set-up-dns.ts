import type { DnsProviderId } from '../../domain/domains/dns-providers.ts';
import {
  type NameRules,
  needsVerification,
  ownsDnsAccounts,
  verificationRecord,
} from '../../domain/domains/name-verification.ts';
import { ApiError } from '../../domain/errors.ts';
import type { DomainRow } from '../../store/domains/domain-store.ts';
import { markVerified, releaseHold } from '../../store/domains/name-verification-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { createDnsRecord, type DnsRecordResult } from './create-dns-record.ts';
import { findDnsProvider } from './find-dns-provider.ts';
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
  /** Addresses of others to which the name pointed before. */
  replaced: string[];
  /** The tenant's text for TXT records. */
  token: string;
  /** Undefined if the domain needs none. */
  verificationRecord: ProofRecordResult | undefined;
}

/**
 * Points a custom domain to its host at a connected provider. For a domain of the tenant that owns the account it also makes the TXT record
 * that verifies the name; a confirmed zone in the account verifies it at once. Another tenant may only point names that it has verified
 * with a TXT record of its own making, or it could change the operator's zones and get names in them.
 * @param replaces as for createDnsRecord
 * @param given undefined: the connected provider that has the name
 * @throws ApiError `conflict` for a name of another tenant that is not verified; and as `createDnsRecord` and `findDnsProvider`
 */
export async function setUpDns(
  deps: Dependencies,
  { domain, service, project: { tenantId } }: LoadedDomain,
  { given, replaces }: { given: DnsProviderId | undefined; replaces: boolean },
): Promise<DnsSetUp> {
  const rules = await readNameRules(deps, tenantId);
  const isOwner = ownsDnsAccounts(tenantId);
  if (!isOwner) assertVerifiedByRecord(domain, rules);
  const provider = given ?? (await findDnsProvider(deps, domain.hostname));
  const subject = { hostname: domain.hostname, runnerId: service.runnerId };
  const { result, replaced, ...place } = await createDnsRecord(deps, subject, { provider, replaces });
  const mustProve = needsVerification(domain.hostname, rules);
  const proof =
    isOwner && mustProve
      ? await writeProofRecord(deps, place, {
          hostname: domain.hostname,
          providerId: provider,
          owner: rules,
        })
      : undefined;
  const outcome = { result, replaced, token: rules.token, verificationRecord: proof };
  if (domain.isVerified || (mustProve && !place.zone.isConfirmed)) return { ...outcome, domain };
  await writeNames(() =>
    deps.db.batch([releaseHold(deps.db, domain.hostname), markVerified(deps.db, domain, deps.now())]),
  );
  return { ...outcome, domain: { ...domain, isVerified: true, dnsDetail: null } };
}

/** @throws ApiError `conflict`, `unsupported` */
function assertVerifiedByRecord({ hostname, isVerified }: DomainRow, rules: NameRules): void {
  if (rules.rootDomain !== null && hostname.endsWith(`.${rules.rootDomain}`)) {
    throw new ApiError(
      'unsupported',
      `${hostname} is below the root domain of this instance, whose DNS the operator manages: it needs no record of its own.`,
    );
  }
  if (isVerified) return;
  const { name, value } = verificationRecord(hostname, rules.token);
  throw new ApiError(
    'conflict',
    `${hostname} is not verified yet: first create the TXT record ${name} with the value ${value} at your provider, then try again.`,
  );
}
