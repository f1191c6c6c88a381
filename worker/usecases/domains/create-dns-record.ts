import { type DnsProviderId, dnsProviderNames } from '../../domain/domains/dns-providers.ts';
import {
  type AddressRecord,
  type DnsAction,
  nameBelow,
  publicAddressRecord,
} from '../../domain/domains/dns-records.ts';
import { ApiError } from '../../domain/errors.ts';
import { publicIpOf, settingsOf } from '../../domain/instance/settings.ts';
import { type DnsAccount, type DnsZone, openDnsAccount } from '../../gateways/dns/index.ts';
import {
  saveMadeAddress,
  selectDnsProvider,
  selectMadeAddresses,
  selectPublicAddresses,
} from '../../store/domains/dns-provider-store.ts';
import { selectRunner } from '../../store/hosts/runner-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readDnsConnection } from './connect-dns-provider.ts';

/** The `result` of the API response. */
export interface DnsRecordResult {
  provider: DnsProviderId;
  providerName: string;
  action: DnsAction;
  hostname: string;
  recordType: AddressRecord['type'];
  /** The part of the name relative to the zone; `@` for the zone itself. */
  host: string;
  zone: string;
  targetIp: string;
}

/**
 * Points a custom domain to the public address of its service's host, at a connected provider.
 * @param replaces whether to replace a record that Longshore did not create, with an address that is no host of this instance
 * @returns the result, the record's account and zone, and the addresses of other people that it replaced
 * @throws ApiError `unsupported` for names below `localhost`; `points_elsewhere` without `replaces`; `conflict` if the provider is not connected or
 *   has no zone for the name, if another record prevents it, or if the address is not public; `provider_refused`, `unavailable`, `runner_offline` as
 *   DnsAccount
 */
export async function createDnsRecord(
  deps: Pick<Dependencies, 'db' | 'dns' | 'envelope' | 'now'>,
  { hostname, runnerId }: { hostname: string; runnerId: string },
  { provider, replaces }: { provider: DnsProviderId; replaces: boolean },
): Promise<{ result: DnsRecordResult; account: DnsAccount; zone: DnsZone; replaced: string[] }> {
  assertNeedsRecord(hostname);
  const { db } = deps;
  const [[row], settingRows, [host], hosts, made] = await db.batch([
    selectDnsProvider(db, provider),
    selectSettings(db),
    selectRunner(db, runnerId),
    selectPublicAddresses(db),
    selectMadeAddresses(db, provider, hostname),
  ]);
  const providerName = dnsProviderNames[provider];
  if (!row) {
    throw new ApiError(
      'conflict',
      `${providerName} is not connected: ask the operator to connect it with POST /api/system/dns-providers.`,
    );
  }
  const target = publicAddressRecord(
    publicIpOf(settingsOf(settingRows), host?.runner.facts.publicIp ?? null),
  );
  const account = openDnsAccount(deps.dns, await readDnsConnection(deps, row));
  const zone = await account.findZone(hostname);
  if (!zone) {
    throw new ApiError(
      'conflict',
      `This ${providerName} account has no zone for ${hostname}: add the domain there, or choose the provider that has it.`,
    );
  }
  const own = [target.address, ...hosts.map(({ address }) => address), ...made.map(({ address }) => address)];
  const replaced: string[] = [];
  const mayReplace = (address: string) => {
    if (own.includes(address)) return true;
    if (replaces) replaced.push(address);
    return replaces;
  };
  const action = await account.pointName(zone, { hostname, ...target, mayReplace });
  if (action !== 'unchanged')
    await saveMadeAddress(db, { providerId: provider, hostname, ...target, updatedAt: deps.now() });
  const result = {
    provider,
    providerName,
    action,
    hostname,
    recordType: target.type,
    host: nameBelow(hostname, zone.name),
    zone: zone.name,
    targetIp: target.address,
  };
  return { result, account, zone, replaced };
}

/** @throws ApiError `unsupported` for names below `localhost` */
export function assertNeedsRecord(hostname: string): void {
  if (!hostname.endsWith('.localhost')) return;
  throw new ApiError(
    'unsupported',
    `${hostname} always resolves to the local machine and needs no DNS record.`,
  );
}
