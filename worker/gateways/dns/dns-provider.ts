/** The common interface of all DNS providers. */
import type { AddressRecord, DnsAction, TxtRecord } from '../../domain/domains/dns-records.ts';

export interface DnsZone {
  /** The provider's id for the zone. */
  id: string;
  /** ASCII, lower-cased. */
  name: string;
  /**
   * Whether the provider has confirmed that the account controls the domain. A registrar lists only domains that are registered in the
   * account. At Cloudflare anybody can add a zone of any name, which stays `pending` until the domain uses Cloudflare's name servers.
   */
  isConfirmed: boolean;
}

export interface NameToPoint extends AddressRecord {
  /** ASCII, lower-cased; equal to the zone or below it. */
  hostname: string;
  /** Whether a record with this address may be changed; if absent, any record may. */
  mayReplace?: (address: string) => boolean;
}

/**
 * An account at a provider. Every method has a time limit of seconds.
 * @throws ApiError `provider_refused` with the provider's own message, `unavailable` if the provider can't be reached or its answer is invalid,
 *   `runner_offline` if the host that should call it is not connected. No message contains a credential.
 */
export interface DnsAccount {
  /** Tests the credentials by reading the resources that they must give access to. Changes nothing. */
  verify(): Promise<void>;
  /** The zone with the longest name that contains the host name. */
  findZone(hostname: string): Promise<DnsZone | undefined>;
  /**
   * Points the name to the address: creates the record, changes it, or leaves it unchanged.
   * @throws ApiError `conflict` if an existing record prevents it (domain/dns-records)
   */
  pointName(zone: DnsZone, name: NameToPoint): Promise<DnsAction>;
  /**
   * Adds a TXT record to the existing ones of the name.
   * @param beforeWrite runs once it is certain that the record does not exist yet
   * @throws ApiError `conflict` if the name is an alias
   */
  addTxt(
    zone: DnsZone,
    record: TxtRecord,
    beforeWrite: () => Promise<void>,
  ): Promise<Exclude<DnsAction, 'updated'>>;
  /** Removes the TXT record with exactly this name and value, if it exists. All others remain. */
  removeTxt(zone: DnsZone, record: TxtRecord): Promise<void>;
}
