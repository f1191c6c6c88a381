/**
 * The firewall rules for build steps, as the text that `nft -f` takes. BuildKit puts its steps on Docker's default bridge, where other
 * people's containers are too. So the rules match every address there that is not the address of a container.
 *
 * All runners of a host share these tables: each adds the ports of its proxy. These ports have a lease, so that a stopped or killed runner
 * restricts nobody.
 */
import ipaddr from 'ipaddr.js';
import { buildsTable } from '../../protocol/names.ts';
import type { DefaultBridge } from '../docker/networks/bridges.ts';
import { icmp, metadataSets, quoted, refuseChain, refuseMetadata, tcpAndUdp } from './rule-parts.ts';

/** Two renewals, one per minute, may fail. */
const leaseSeconds = 150;

/**
 * Sets the rules, and renews the lease of this runner's part, in one transaction.
 * @param openPorts ports of the host for build steps: of the proxy, and those that the operator opens
 */
export function buildRules(
  { name, subnets, containers }: DefaultBridge,
  openPorts: readonly number[],
): string {
  return [
    // Rules are replaced; elements of other runners are kept in the sets.
    `add table inet ${buildsTable}`,
    `flush table inet ${buildsTable}`,
    ...inetTable,
    ...lease('inet', 'bridges', [quoted(name)]),
    ...lease('inet', 'ports', openPorts.map(String)),
    ...fill('inet', containers),
    `add table bridge ${buildsTable}`,
    `flush table bridge ${buildsTable}`,
    ...bridgeTable,
    ...lease('bridge', 'subnets4', subnets.filter(isIpv4)),
    ...lease('bridge', 'subnets6', subnets.filter(isIpv6)),
    ...fill('bridge', containers),
    '',
  ].join('\n');
}

const containerSets = ['set containers4 { type ipv4_addr; }', 'set containers6 { type ipv6_addr; }'];

const inetTable = [
  `table inet ${buildsTable} {`,
  'set bridges { type ifname; flags timeout; }',
  'set ports { type inet_service; flags timeout; }',
  ...containerSets,
  ...metadataSets,
  'chain forward {',
  '  type filter hook forward priority filter - 5; policy accept;',
  '  iifname @bridges ip saddr != @containers4 jump leave',
  '  iifname @bridges ip6 saddr != @containers6 jump leave',
  '}',
  'chain leave {',
  ...refuseMetadata,
  '  oifname @bridges goto refuse',
  '}',
  'chain input {',
  '  type filter hook input priority filter - 5; policy accept;',
  '  iifname @bridges ip saddr != @containers4 jump host',
  '  iifname @bridges ip6 saddr != @containers6 jump host',
  '}',
  'chain host {',
  '  ct direction reply accept',
  `  meta l4proto ${icmp} accept`,
  `  meta l4proto ${tcpAndUdp} th dport 53 accept`,
  `  meta l4proto ${tcpAndUdp} th dport @ports accept`,
  '  goto refuse',
  '}',
  ...refuseChain,
  '}',
];

/**
 * Within one bridge the kernel forwards packets without the table above, unless br_netfilter is loaded. With this table a build step
 * reaches no other step and no container, but it reaches the gateway, because those packets are not forwarded. It also can't pretend to be
 * the gateway or a machine of the internet: a step may forge addresses and ARP, and could otherwise read and answer another step's
 * requests.
 */
const bridgeTable = [
  `table bridge ${buildsTable} {`,
  'set subnets4 { type ipv4_addr; flags interval, timeout; }',
  'set subnets6 { type ipv6_addr; flags interval, timeout; }',
  ...containerSets,
  'chain forward {',
  '  type filter hook forward priority filter; policy accept;',
  '  ip saddr @subnets4 ip saddr != @containers4 drop',
  '  ip daddr @subnets4 ip daddr != @containers4 drop',
  '  ip6 saddr @subnets6 ip6 saddr != @containers6 drop',
  '  ip6 daddr @subnets6 ip6 daddr != @containers6 drop',
  '  arp saddr ip @subnets4 arp saddr ip != @containers4 drop',
  '  arp daddr ip @subnets4 arp daddr ip != @containers4 drop',
  '}',
  '}',
];

/** Adds elements until the lease ends. Adding alone does not renew: the kernel keeps the timeout of an existing element. */
function lease(family: 'inet' | 'bridge', set: string, elements: readonly string[]): string[] {
  if (elements.length === 0) return [];
  const leased = elements.map((element) => `${element} timeout ${leaseSeconds}s`).join(', ');
  const place = `element ${family} ${buildsTable} ${set}`;
  return [
    `add ${place} { ${leased} }`,
    `delete ${place} { ${elements.join(', ')} }`,
    `add ${place} { ${leased} }`,
  ];
}

/** All runners read the containers from the same daemon. */
function fill(family: 'inet' | 'bridge', addresses: readonly string[]): string[] {
  return [
    ['containers4', addresses.filter(isIpv4)] as const,
    ['containers6', addresses.filter(isIpv6)] as const,
  ].flatMap(([set, elements]) => [
    `flush set ${family} ${buildsTable} ${set}`,
    ...(elements.length > 0
      ? [`add element ${family} ${buildsTable} ${set} { ${elements.join(', ')} }`]
      : []),
  ]);
}

const isIpv4 = (text: string) => ipaddr.IPv4.isValid(addressOf(text));
const isIpv6 = (text: string) => ipaddr.IPv6.isValid(addressOf(text));
const addressOf = (subnet: string) => subnet.split('/', 1)[0] ?? '';
