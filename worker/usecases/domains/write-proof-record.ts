import type { DnsProviderId } from '../../domain/domains/dns-providers.ts';
import { ownProofRecord, type VerificationRecord } from '../../domain/domains/name-verification.ts';
import { ApiError } from '../../domain/errors.ts';
import type { DnsAccount, DnsZone } from '../../gateways/dns/index.ts';
import { deleteProofRecord, saveProofRecord } from '../../store/domains/proof-record-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** What became of the TXT record of a domain. */
export interface ProofRecordResult extends VerificationRecord {
  action: 'created' | 'unchanged' | 'failed';
  /** Why it failed; null otherwise. */
  detail: string | null;
}

interface Subject {
  hostname: string;
  providerId: DnsProviderId;
  /** The owner of the account (domain/name-verification `ownsDnsAccounts`). */
  owner: { tenantId: string; token: string };
}

/**
 * Makes the TXT record that verifies a domain of the account's owner. A record that exists already is left alone, and is never removed.
 * A provider that refuses does not throw: the address record exists by then, so the reason is part of the result.
 */
export async function writeProofRecord(
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
