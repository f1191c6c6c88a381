/** Decides which addresses belong to the public internet. All checks of addresses from users use this list. */
import ipaddr from 'ipaddr.js';

/**
 * Addresses in public ranges that the machine's own cloud answers.
 * 168.63.129.16: Azure's wire server, which returns the host's configuration
 * (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16).
 * The metadata services of all other large clouds have link-local, private or shared addresses.
 */
const cloudServices = new Set(['168.63.129.16']);

/** The only IPv6 range that is allocated (https://www.iana.org/assignments/ipv6-address-space). */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * True only for addresses of the public internet; IPv4-mapped addresses are checked as IPv4.
 * The ranges of the IANA registries of special-purpose addresses are in ipaddr.js, which calls every other address `unicast`.
 */
export function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || cloudServices.has(address.toString())) return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast);
}
