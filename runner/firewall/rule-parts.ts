/** Parts of both kinds of rules, in the language of nft. */
import { metadataAddresses } from './metadata-addresses.ts';

/** nft takes no empty list of elements. */
export function set(name: string, type: string, elements: readonly string[]): string {
  const filled = elements.length === 0 ? '' : `elements = { ${elements.join(', ')} }; `;
  return `set ${name} { ${type}; ${filled}}`;
}

export const quoted = (name: string): string => `"${name}"`;
export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

export const metadataSets = [
  set('metadata4', 'type ipv4_addr; flags interval', metadataAddresses.ipv4),
  set('metadata6', 'type ipv6_addr; flags interval', metadataAddresses.ipv6),
];

/**
 * IANA's numbers of ICMP and ICMPv6, and of TCP and UDP. nft looks names up in /etc/protocols, which a minimal Debian lacks: it is in the
 * package netbase.
 */
export const icmp = '{ 1, 58 }';
export const tcpAndUdp = '{ 6, 17 }';

/** Some clouds answer DNS at these addresses, and containers ask there: Google, Azure, Oracle, AWS. */
export const refuseMetadata = [
  `  ip daddr @metadata4 meta l4proto ${tcpAndUdp} th dport 53 accept`,
  `  ip6 daddr @metadata6 meta l4proto ${tcpAndUdp} th dport 53 accept`,
  '  ip daddr @metadata4 goto refuse',
  '  ip6 daddr @metadata6 goto refuse',
];

/** An answer at once: a program fails instead of waiting. */
export const refuseChain = ['chain refuse {', '  reject with icmpx admin-prohibited', '}'];
