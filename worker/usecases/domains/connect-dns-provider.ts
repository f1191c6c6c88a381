import { type DnsConnection, dnsConnectionSchema, dnsProviderNames } from '../../domain/dns-providers.ts';
import { openDnsAccount } from '../../gateways/dns/index.ts';
import { dnsCredentialsPlace } from '../../security/secret-places.ts';
import { type DnsProviderRow, saveDnsProvider } from '../../store/dns-provider-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openInstanceSecret, sealInstanceSecret } from '../seal-instance-secret.ts';

/**
 * Stores the credentials of a provider in place of those before, if any.
 * @param verify asks the provider first, with a call that changes nothing.
 * @throws ApiError `provider_refused`, `unavailable`, `runner_offline`: nothing was stored.
 */
export async function connectDnsProvider(
  deps: Pick<Dependencies, 'db' | 'dns' | 'envelope' | 'now'>,
  connection: DnsConnection,
  verify: boolean,
): Promise<DnsProviderRow> {
  if (verify) await openDnsAccount(deps.dns, connection).verify();
  // Provider and credentials together: credentials can never be read as those of another one.
  const sealedCredentials = await sealInstanceSecret(deps, dnsCredentialsPlace(connection.id), connection);
  return saveDnsProvider(deps.db, { id: connection.id, sealedCredentials }, deps.now());
}

/** The provider with its credentials in the clear. @throws ApiError `conflict` when they no longer open. */
export function readDnsConnection(
  deps: Pick<Dependencies, 'envelope'>,
  row: DnsProviderRow,
): Promise<DnsConnection> {
  const name = dnsProviderNames[row.id as DnsConnection['id']];
  const place = dnsCredentialsPlace(row.id);
  return openInstanceSecret(deps, place, row.sealedCredentials, dnsConnectionSchema, name);
}
