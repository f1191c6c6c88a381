/** The public addresses of this host. */
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { isPublic } from '../../protocol/public-address.ts';

export interface OwnAddresses {
  /** The address for a name's A (or AAAA) record. */
  main: string;
  /** All public addresses, including `main`, each in the form of `sameSpelling`. */
  all: ReadonlySet<string>;
}

/** @param main the public address that the operator configured or the host detected */
export function ownAddresses(main: string, interfaces = networkInterfaces()): OwnAddresses {
  return { main, all: new Set([sameSpelling(main), ...publicAddressesOf(interfaces)]) };
}

/** The public addresses of this host's own interfaces, each in the form of `sameSpelling`. */
export function publicAddressesOf(interfaces = networkInterfaces()): string[] {
  return Object.values(interfaces)
    .flatMap((list) => list ?? [])
    .map(({ address }) => sameSpelling(address))
    .filter(isPublic);
}

/** The canonical text of an address: IPv6 allows many spellings, and IPv4 addresses can be mapped into it. */
export function sameSpelling(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
