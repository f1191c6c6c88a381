import { ownProofName } from '../../domain/domains/name-verification.ts';
import { ApiError } from '../../domain/errors.ts';
import { openDnsAccount } from '../../gateways/dns/index.ts';
import { selectDnsProvider } from '../../store/domains/dns-provider-store.ts';
import {
  deleteProofRecord,
  findStaleProofRecord,
  markRemovalTried,
  type ProofRecordRow,
} from '../../store/domains/proof-record-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readDnsConnection } from './connect-dns-provider.ts';

type Needs = Pick<Dependencies, 'db' | 'dns' | 'envelope' | 'now'>;

/**
 * Removes one TXT record that Longshore created for a domain that no longer exists, at its provider. Cron runs it every minute; one
 * record per run is enough, because an account with many zones may need 20 calls, and a Worker on the Free plan has 50 a run.
 */
export async function sweepProofRecords(deps: Needs): Promise<void> {
  const record = await findStaleProofRecord(deps.db, deps.now());
  if (!record) return;
  await markRemovalTried(deps.db, record, deps.now());
  try {
    await removeAtProvider(deps, record);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    console.warn(
      `The TXT record of ${record.hostname} could not be removed at ${record.providerId}: ${error.message}`,
    );
    return;
  }
  await deleteProofRecord(deps.db, record);
}

/** A zone that is no longer in the account needs no removal. */
async function removeAtProvider(deps: Needs, { providerId, hostname, value }: ProofRecordRow): Promise<void> {
  const [row] = await selectDnsProvider(deps.db, providerId);
  if (!row) return;
  const account = openDnsAccount(deps.dns, await readDnsConnection(deps, row));
  const zone = await account.findZone(hostname);
  if (zone) await account.removeTxt(zone, { name: ownProofName(hostname), value });
}
