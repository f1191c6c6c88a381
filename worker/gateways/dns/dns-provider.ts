/** What every DNS provider can do for us, whatever its API looks like. */
import type { AddressRecord, DnsAction } from '../../domain/dns-records.ts';

export interface DnsZone {
  /** The provider's own name for it in requests. */
  id: string;
  /** In ASCII, lower-cased. */
  name: string;
}

export interface NameToPoint extends AddressRecord {
  /** In ASCII, lower-cased; at or below the zone. */
  hostname: string;
}

/**
 * An account at a provider. Every method ends within seconds.
 * @throws ApiError `provider_refused` with the provider's own words when it says no, `unavailable` when it can't be reached or makes
 *   no sense, `runner_offline` when the host that is to call it is away. No message holds a credential.
 */
export interface DnsAccount {
  /** Proves the credentials by reading what they must be able to read. Changes nothing. */
  verify(): Promise<void>;
  /** The zone with the longest name that holds the host name. */
  findZone(hostname: string): Promise<DnsZone | undefined>;
  /**
   * Makes the name point to the address: creates the one record, changes it, or leaves it as it is.
   * @throws ApiError `conflict` when something is in the way that is not ours to take away (domain/dns-records).
   */
  pointName(zone: DnsZone, name: NameToPoint): Promise<DnsAction>;
}
