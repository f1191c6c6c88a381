import {
  type DnsConnection,
  dnsConnectionSchema,
  dnsProviderNames,
} from '../../domain/domains/dns-providers.ts';
import { openDnsAccount } from '../../gateways/dns/index.ts';
import { dnsCredentialsPlace } from '../../security/secret-places.ts';
import { type DnsProviderRow, saveDnsProvider } from '../../store/domains/dns-provider-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openInstanceSecret, sealInstanceSecret } from '../seal-instance-secret.ts';

/**
 * Stores the credentials of a provider, replacing earlier ones.
 * @param verify whether to call the provider first, without changing anything
 * @throws ApiError `provider_refused`, `unavailable`, `runner_offline`: nothing was stored then
 */
export async function connectDnsProvider(
  deps: Pick<Dependencies, 'db' | 'dns' | 'envelope' | 'now'>,
  connection: DnsConnection,
  verify: boolean,
): Promise<DnsProviderRow> {
  if (verify) await openDnsAccount(deps.dns, connection).verify();
  // The provider id is sealed with the credentials, so that they can't be used as another provider's.
  const sealedCredentials = await sealInstanceSecret(deps, dnsCredentialsPlace(connection.id), connection);
  return saveDnsProvider(deps.db, { id: connection.id, sealedCredentials }, deps.now());
}

/** The provider with its decrypted credentials. @throws ApiError `conflict` if they can't be decrypted */
export function readDnsConnection(
  deps: Pick<Dependencies, 'envelope'>,
  row: DnsProviderRow,
): Promise<DnsConnection> {
  const name = dnsProviderNames[row.id as DnsConnection['id']];
  const place = dnsCredentialsPlace(row.id);
  return openInstanceSecret(deps, place, row.sealedCredentials, dnsConnectionSchema, name);
}
