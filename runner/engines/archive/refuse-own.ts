import ipaddr from 'ipaddr.js';
import { ImportRefusal } from './import-refusal.ts';

/** What no other machine reaches by that address: the runner would look at one server, and the tools in the container at another. */
const ownRanges = ['loopback', 'unspecified', 'broadcast', 'multicast', 'linkLocal'];

/** @throws ImportRefusal for an address by which each machine means itself */
export function refuseOwn(host: string, address: string): void {
  if (!ownRanges.includes(ipaddr.process(address).range())) return;
  throw new ImportRefusal(
    `${host} leads to ${address}, which is another machine for everybody: name the address by which others reach the server.`,
  );
}
