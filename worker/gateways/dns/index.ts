/** Creates DNS provider accounts from credentials. The type requires an entry for every provider. */
import type { DnsConnection, DnsCredentials, DnsProviderId } from '../../domain/domains/dns-providers.ts';
import { CloudflareAccount } from './cloudflare.ts';
import type { DnsAccount } from './dns-provider.ts';
import { type FindNamecheapHost, NamecheapAccount } from './namecheap.ts';
import type { Outside } from './provider-http.ts';
import { SpaceshipAccount } from './spaceship.ts';

export type { DnsAccount, DnsZone } from './dns-provider.ts';
export type { NamecheapHost } from './namecheap.ts';
export type { Outside } from './provider-http.ts';

export type DnsProviders = { [Id in DnsProviderId]: (credentials: DnsCredentials[Id]) => DnsAccount };

export function createDnsProviders(outside: Outside, findNamecheapHost: FindNamecheapHost): DnsProviders {
  return {
    cloudflare: (credentials) => new CloudflareAccount(outside, credentials),
    namecheap: (credentials) => new NamecheapAccount(findNamecheapHost, credentials),
    spaceship: (credentials) => new SpaceshipAccount(outside, credentials),
  };
}

/** The account for these credentials. Sends no request yet. */
export function openDnsAccount<Id extends DnsProviderId>(
  providers: DnsProviders,
  { id, credentials }: DnsConnection<Id>,
): DnsAccount {
  return providers[id](credentials);
}
