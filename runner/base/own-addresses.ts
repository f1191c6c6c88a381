/** The public addresses of this host. */
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

export interface OwnAddresses {
  /** The address for a name's A (or AAAA) record. */
  main: string;
  /** All of them, including `main`, each as `sameSpelling` writes it. */
  all: ReadonlySet<string>;
}

/** @param main the public address that the operator configured or the host detected */
export function ownAddresses(main: string, interfaces = networkInterfaces()): OwnAddresses {
  const addresses = Object.values(interfaces).flatMap((list) => list ?? []);
  const isPublic = ({ address }: { address: string }) => ipaddr.process(address).range() === 'unicast';
  return {
    main,
    all: new Set([main, ...addresses.filter(isPublic).map(({ address }) => address)].map(sameSpelling)),
  };
}

/** One canonical text per address: IPv6 allows many spellings, and IPv4 addresses can be mapped into it. */
export function sameSpelling(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
