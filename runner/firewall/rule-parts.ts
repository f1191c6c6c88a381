/** Parts of both kinds of rules, in the language of nft. */

/**
 * Addresses at which a cloud gives its machines credentials, user data and the like. A client of one of them acts as the host. From the
 * vendors' documents, and cloud-init's list of data sources.
 */
const metadataAddresses = {
  ipv4: [
    // Link-local: AWS, Google, Azure, Oracle, DigitalOcean, Hetzner, OpenStack, Akamai, Vultr and most others (.169.254), tasks of
    // Amazon ECS and EKS (.170.2, .170.23), Scaleway (.42.42), Tencent (.0.23).
    '169.254.0.0/16',
    '168.63.129.16', // Azure: WireServer
    '100.100.100.200', // Alibaba Cloud
    '192.0.0.192', // Oracle Cloud Classic
  ],
  ipv6: [
    'fe80::/10', // Link-local: OpenStack and Akamai (fe80::a9fe:a9fe)
    'fd00:ec2::/32', // AWS: metadata (::254), EKS (::23)
    'fd20:ce::254', // Google
    'fd00:c1::a9fe:a9fe', // Oracle
    'fd00:42::42', // Scaleway
    'fd00:a9fe:a9fe::1', // Akamai
    'fd00:100::100:200', // Alibaba Cloud
  ],
} as const;

/** nft accepts no empty list of elements. */
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

/** Answers at once: a program fails instead of waiting. */
export const refuseChain = ['chain refuse {', '  reject with icmpx admin-prohibited', '}'];
