/** Which record makes a host name point to an address, and what is done when something is there already. */
import ipaddr from 'ipaddr.js';
import { ApiError } from './errors.ts';

export interface AddressRecord {
  type: 'A' | 'AAAA';
  address: string;
}

/** A record that a zone holds. */
export interface HeldRecord {
  type: string;
  content: string;
}

export const dnsActions = ['created', 'updated', 'unchanged'] as const;
export type DnsAction = (typeof dnsActions)[number];

export type RecordPlan<Held> =
  | { action: 'created' }
  | { action: 'unchanged' }
  | { action: 'updated'; record: Held };

/**
 * Types that decide by themselves where a name leads, so that an address beside them is refused or ignored: the alias of RFC 1034,
 * section 3.6.2, providers' own kinds of alias, and Namecheap's redirects.
 */
const aliasTypes = new Set(['CNAME', 'DNAME', 'ALIAS', 'ANAME', 'URL', 'URL301', 'FRAME']);

/**
 * What has to happen to the records of a name so that it points to the wanted address. Nothing that somebody else made is ever taken
 * away: one address record is changed, anything less clear is refused by its name.
 * @param held all records of exactly this name.
 * @throws ApiError `conflict`.
 */
export function planRecord<Held extends HeldRecord>(
  hostname: string,
  held: readonly Held[],
  wanted: AddressRecord,
): RecordPlan<Held> {
  const alias = held.find(({ type }) => aliasTypes.has(type.toUpperCase()));
  if (alias) {
    throw new ApiError(
      'conflict',
      `${hostname} has a ${alias.type} record to ${shown(alias.content)}: remove it at the provider, then try again.`,
    );
  }
  const same = held.filter(({ type }) => type.toUpperCase() === wanted.type);
  const [first] = same;
  if (!first) return { action: 'created' };
  if (same.length > 1) {
    const addresses = same.map(({ content }) => shown(content)).join(', ');
    throw new ApiError(
      'conflict',
      `${hostname} has ${same.length} ${wanted.type} records (${addresses}): leave one at the provider, then try again.`,
    );
  }
  return isSameAddress(first.content, wanted.address)
    ? { action: 'unchanged' }
    : { action: 'updated', record: first };
}

/** @returns the longest of the zones that holds the name; zones in ASCII, of any case. */
export function zoneOf<Zone extends { name: string }>(
  hostname: string,
  zones: readonly Zone[],
): Zone | undefined {
  const holders = zones.filter(({ name }) => isWithin(hostname, name.toLowerCase()));
  return holders.sort((a, b) => b.name.length - a.name.length)[0];
}

/** The names that a zone of this host may have, longest first; a lone top-level domain is nobody's zone. */
export function zoneCandidates(hostname: string): string[] {
  const labels = hostname.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

/** The part of a name below its zone; `@` for the zone itself. */
export function nameBelow(hostname: string, zone: string): string {
  return hostname === zone.toLowerCase() ? '@' : hostname.slice(0, -zone.length - 1);
}

/**
 * The record for an address that visitors on the internet can reach.
 * @throws ApiError `conflict` for private, loopback and other addresses that mean something else to each who asks.
 */
export function publicAddressRecord(address: string): AddressRecord {
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  // `reserved` holds the addresses of documentation (RFC 5737, 3849): of no use, but they lead nobody astray.
  if (range !== 'unicast' && range !== 'reserved') {
    throw new ApiError(
      'conflict',
      `${address} is not an address of the public internet, so no DNS record can point to it: set publicIp in the system settings to the host's public address.`,
    );
  }
  return { type: parsed.kind() === 'ipv4' ? 'A' : 'AAAA', address: parsed.toString() };
}

function isWithin(hostname: string, zone: string): boolean {
  return hostname === zone || hostname.endsWith(`.${zone}`);
}

function isSameAddress(one: string, other: string): boolean {
  if (!ipaddr.isValid(one)) return false;
  return ipaddr.process(one).toString() === ipaddr.process(other).toString();
}

/** What a provider holds is text from outside: one line, cut. */
function shown(content: string): string {
  return content.replace(/\p{Cc}+/gu, ' ').slice(0, 253);
}
