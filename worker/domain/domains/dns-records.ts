/** Decides which DNS record points a host name to an address, and what happens to existing records. */
import ipaddr from 'ipaddr.js';
import { ApiError } from '../errors.ts';
import { withoutWildcard } from '../names/hostname.ts';

export interface AddressRecord {
  type: 'A' | 'AAAA';
  address: string;
}

export interface HeldRecord {
  type: string;
  content: string;
}

export const dnsActions = ['created', 'updated', 'unchanged'] as const;
export type DnsAction = (typeof dnsActions)[number];

export interface TxtRecord {
  /** ASCII in lower case, inside the zone. */
  name: string;
  value: string;
}

export type RecordPlan<Held> =
  | { action: 'created' }
  | { action: 'unchanged' }
  | { action: 'updated'; record: Held };

/**
 * Record types that redirect a name elsewhere, so that providers refuse or ignore an address record for the same name: the alias
 * of RFC 1034, section 3.6.2, providers' own alias types, and Namecheap's redirects.
 */
const aliasTypes = new Set(['CNAME', 'DNAME', 'ALIAS', 'ANAME', 'URL', 'URL301', 'FRAME']);

/**
 * Plans the changes that point the records of a name to the wanted address. Records are never deleted: a single address record is
 * changed, and ambiguous cases are refused.
 * @param held all records with exactly this name
 * @param mayReplace whether visitors may be moved away from this address, by a change of its record or a record of the other family
 * @throws ApiError `points_elsewhere` for an address that may not be replaced; `conflict`.
 */
export function planRecord<Held extends HeldRecord>(
  hostname: string,
  held: readonly Held[],
  wanted: AddressRecord,
  mayReplace: (address: string) => boolean = () => true,
): RecordPlan<Held> {
  refuseAlias(hostname, held);
  const others = held
    .filter(
      ({ type, content }) =>
        ['A', 'AAAA'].includes(type.toUpperCase()) && !isSameAddress(content, wanted.address),
    )
    .map(({ content }) => content);
  const same = held.filter(({ type }) => type.toUpperCase() === wanted.type);
  const [first] = same;
  const isThere = same.length === 1 && isSameAddress(first?.content ?? '', wanted.address);
  const foreign = isThere || same.length > 1 ? undefined : others.find((address) => !mayReplace(address));
  if (foreign !== undefined)
    throw new ApiError(
      'points_elsewhere',
      `${hostname} points to ${shown(foreign)}, which is no host of this instance. Change the record at the provider, or send "replace": true with a key for all projects.`,
    );
  if (!first) return { action: 'created' };
  if (same.length > 1) {
    const addresses = same.map(({ content }) => shown(content)).join(', ');
    throw new ApiError(
      'conflict',
      `${hostname} has ${same.length} ${wanted.type} records (${addresses}): keep only one at the provider, then try again.`,
    );
  }
  return isSameAddress(first.content, wanted.address)
    ? { action: 'unchanged' }
    : { action: 'updated', record: first };
}

/**
 * Plans how to give a name a TXT record. Other TXT records of the name do not change.
 * @param held all records with exactly this name
 * @throws ApiError `conflict` if the name is an alias, which can't have a TXT record
 */
export function planTxt(
  { name, value }: TxtRecord,
  held: readonly HeldRecord[],
): Exclude<DnsAction, 'updated'> {
  refuseAlias(name, held);
  return held.some((record) => isTxt(record, value)) ? 'unchanged' : 'created';
}

/** Whether the record is a TXT record with exactly this value, with or without the provider's quotes. */
export function isTxt({ type, content }: HeldRecord, value: string): boolean {
  return type.toUpperCase() === 'TXT' && txtText(content) === value;
}

/** The text of a TXT record. Some providers and resolvers put its strings in quotes (RFC 1035, section 5.1), others do not. */
export function txtText(content: string): string {
  const quoted = [...content.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text);
  return quoted.length > 0 ? quoted.join('') : content;
}

/** @returns the longest zone that contains the name. Zone names are ASCII in any case. */
export function zoneOf<Zone extends { name: string }>(
  hostname: string,
  zones: readonly Zone[],
): Zone | undefined {
  const holders = zones.filter(({ name }) => isWithin(hostname, name.toLowerCase()));
  return holders.sort((a, b) => b.name.length - a.name.length)[0];
}

/** Possible names of the zone that contains this host name, longest first. A top-level domain alone is excluded. */
export function zoneCandidates(hostname: string): string[] {
  const labels = withoutWildcard(hostname).split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

/** The part of a name below its zone; `@` for the zone itself. */
export function nameBelow(hostname: string, zone: string): string {
  return hostname === zone.toLowerCase() ? '@' : hostname.slice(0, -zone.length - 1);
}

/**
 * The record for an address that is reachable from the internet.
 * @throws ApiError `conflict` for private, loopback and other addresses that are not globally unique.
 */
export function publicAddressRecord(address: string): AddressRecord {
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  // `reserved` includes documentation addresses (RFC 5737, 3849): useless in a record, but harmless.
  if (range !== 'unicast' && range !== 'reserved') {
    throw new ApiError(
      'conflict',
      `${address} is not a public internet address, so a DNS record can't point to it: set "publicIp" in the system settings to the host's public address.`,
    );
  }
  return { type: parsed.kind() === 'ipv4' ? 'A' : 'AAAA', address: parsed.toString() };
}

/** @throws ApiError `conflict` */
function refuseAlias(hostname: string, held: readonly HeldRecord[]): void {
  const alias = held.find(({ type }) => aliasTypes.has(type.toUpperCase()));
  if (!alias) return;
  throw new ApiError(
    'conflict',
    `${hostname} has a ${alias.type} record that points to ${shown(alias.content)}: remove it at the provider, then try again.`,
  );
}

function isWithin(hostname: string, zone: string): boolean {
  return hostname === zone || hostname.endsWith(`.${zone}`);
}

function isSameAddress(one: string, other: string): boolean {
  if (!ipaddr.isValid(one)) return false;
  return ipaddr.process(one).toString() === ipaddr.process(other).toString();
}

/** Text from a provider, shortened and reduced to one line. */
function shown(content: string): string {
  return content.replace(/\p{Cc}+/gu, ' ').slice(0, 253);
}
