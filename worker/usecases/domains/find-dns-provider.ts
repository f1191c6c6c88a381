/** Finds the connected DNS provider that has a name, for requests that don't specify it. */
import { type DnsProviderId, dnsProviderNames } from '../../domain/domains/dns-providers.ts';
import { ApiError } from '../../domain/errors.ts';
import { openDnsAccount } from '../../gateways/dns/index.ts';
import { type DnsProviderRow, selectDnsProviders } from '../../store/domains/dns-provider-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readDnsConnection } from './connect-dns-provider.ts';
import { assertNeedsRecord } from './create-dns-record.ts';

/**
 * Searches each account, if there are several.
 * @throws ApiError `conflict` if no provider is connected, or none has a zone for the name; `invalid_request` if several have one; and as DnsAccount
 *   if an account that may have it does not answer
 */
export async function findDnsProvider(
  deps: Pick<Dependencies, 'db' | 'dns' | 'envelope'>,
  hostname: string,
): Promise<DnsProviderId> {
  assertNeedsRecord(hostname);
  const rows = await selectDnsProviders(deps.db);
  const ids = rows.map(({ id }) => id as DnsProviderId);
  if (ids.length === 0) {
    throw new ApiError(
      'conflict',
      'No DNS provider is connected: ask the operator to connect one with POST /api/system/dns-providers, or make the record at your own provider.',
    );
  }
  const [only] = ids;
  if (only !== undefined && ids.length === 1) return only;
  const answers = await Promise.allSettled(rows.map((row) => hasZone(deps, row, hostname)));
  const owners = ids.filter((_, at) => {
    const answer = answers[at];
    return answer?.status === 'fulfilled' && answer.value;
  });
  const [owner] = owners;
  if (owner !== undefined && owners.length === 1) return owner;
  if (owners.length > 1) {
    throw new ApiError(
      'invalid_request',
      `The field "providerId" is missing: ${namesOf(owners, 'and')} each have a zone for ${hostname}.`,
    );
  }
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
  throw new ApiError(
    'conflict',
    `No connected account has a zone for ${hostname}: add the domain at ${namesOf(ids, 'or')}, or make the record at the provider that has it.`,
  );
}

async function hasZone(
  deps: Pick<Dependencies, 'dns' | 'envelope'>,
  row: DnsProviderRow,
  hostname: string,
): Promise<boolean> {
  const account = openDnsAccount(deps.dns, await readDnsConnection(deps, row));
  return (await account.findZone(hostname)) !== undefined;
}

function namesOf(ids: readonly DnsProviderId[], word: 'and' | 'or'): string {
  const names = ids.map((id) => dnsProviderNames[id]);
  return `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}
