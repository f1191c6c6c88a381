import ipaddr from 'ipaddr.js';

/** An import source that can't be accepted. The message is the sentence for the user. */
export class ImportRefusal extends Error {
  override readonly name = 'ImportRefusal';
}

/** Addresses that mean a different machine on each host: the runner would reach one server, and the tools in the container another. */
const ownRanges = ['loopback', 'unspecified', 'broadcast', 'multicast', 'linkLocal'];

/** @throws ImportRefusal for an address of the machine that uses it */
export function refuseOwn(host: string, address: string): void {
  if (!ownRanges.includes(ipaddr.process(address).range())) return;
  throw new ImportRefusal(
    `${host} resolves to ${address}, which means a different server on every machine: use the address at which other machines reach the server.`,
  );
}
