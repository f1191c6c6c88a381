import type { DnsProviderId } from '../../domain/domains/dns-providers.ts';
import {
  type NameRules,
  needsVerification,
  ownProofRecord,
  ownsDnsAccounts,
  type VerificationRecord,
  verificationRecord,
} from '../../domain/domains/name-verification.ts';
import { ApiError } from '../../domain/errors.ts';
import type { DnsAccount, DnsZone } from '../../gateways/dns/index.ts';
import type { DomainRow } from '../../store/domains/domain-store.ts';
import { markVerified, releaseHold } from '../../store/domains/name-verification-store.ts';
import { deleteProofRecord, saveProofRecord } from '../../store/domains/proof-record-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { createDnsRecord, type DnsRecordResult } from './create-dns-record.ts';
import { readNameRules } from './custom-domains.ts';
import { findDnsProvider } from './find-dns-provider.ts';
import { writeNames } from './names-tasks.ts';

interface LoadedDomain {
  domain: DomainRow;
  service: ServiceRow;
  project: { tenantId: string };
}

/** The `result` of the API response, and other changes. */
export interface DnsSetUp {
  result: DnsRecordResult;
  domain: DomainRow;
  /** Addresses of other people to which the name pointed before. */
  replaced: string[];
  /** The tenant's token for TXT records. */
  token: string;
  /** Undefined if the domain needs no verification record. */
  verificationRecord: ProofRecordResult | undefined;
}

/**
 * Points a custom domain to its host at a connected provider. For a domain of the tenant that owns the account it also creates the TXT
 * record that verifies the name; a confirmed zone in the account verifies it at once. Other tenants may only point names that they have
 * verified with their own TXT record: otherwise they could change the operator's zones and get names in them.
 * @param replaces as for createDnsRecord
 * @param given undefined for the connected provider that has the name
 * @throws ApiError `conflict` for another tenant's unverified name; and as `createDnsRecord` and `findDnsProvider`
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

/** The result for a domain's TXT record. */
interface ProofRecordResult extends VerificationRecord {
  action: 'created' | 'unchanged' | 'failed';
  /** The reason of a failure; otherwise `null`. */
  detail: string | null;
}

interface Subject {
  hostname: string;
  providerId: DnsProviderId;
  /** The owner of the account (domain/name-verification `ownsDnsAccounts`). */
  owner: { tenantId: string; token: string };
}

/**
 * Creates the TXT record that verifies a domain of the account's owner. An existing record is not changed and never removed. A refusal
 * of the provider does not throw: the address record exists by then, so the reason is part of the result.
 */
async function writeProofRecord(
  deps: Pick<Dependencies, 'db' | 'now'>,
  { account, zone }: { account: DnsAccount; zone: DnsZone },
  { hostname, providerId, owner: { tenantId, token } }: Subject,
): Promise<ProofRecordResult> {
  const record = ownProofRecord(hostname, token);
  const row = { providerId, tenantId, hostname, value: record.value, createdAt: deps.now() };
  try {
    const action = await account.addTxt(zone, record, async () => {
      await saveProofRecord(deps.db, row);
    });
    return { ...record, action, detail: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // After any other error the record may exist.
    if (error.code === 'provider_refused') await deleteProofRecord(deps.db, row);
    return { ...record, action: 'failed', detail: error.message };
  }
}
