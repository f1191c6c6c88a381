/** The addresses under which the world reaches this host. */
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

export interface OwnAddresses {
  /** What a name's A (or AAAA) record is to be. */
  main: string;
  /** All of them, `main` included, in one spelling (`sameSpelling`). */
  all: ReadonlySet<string>;
}

/** @param main what the operator or the host itself names as its public address */
export function ownAddresses(main: string, interfaces = networkInterfaces()): OwnAddresses {
  const addresses = Object.values(interfaces).flatMap((list) => list ?? []);
  const isPublic = ({ address }: { address: string }) => ipaddr.process(address).range() === 'unicast';
  return {
    main,
    all: new Set([main, ...addresses.filter(isPublic).map(({ address }) => address)].map(sameSpelling)),
  };
}

/** One text for each address: IPv6 has many, and IPv4 has a form within it. */
export function sameSpelling(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
