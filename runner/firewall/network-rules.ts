/**
 * The firewall rules for the networks of one runner, as the text that `nft -f` takes: a pure function of the networks.
 *
 * They match packets from and to this runner's own networks, and no others. They are in a table of this runner, whose chains run before
 * those of Docker. In nftables an accepted packet is passed to the next table, and a dropped one is not: no rule here opens what Docker or
 * the operator closes.
 */
import {
  icmp,
  metadataSets,
  quoted,
  refuseChain,
  refuseMetadata,
  set,
  tcpAndUdp,
  unique,
} from './rule-parts.ts';

export interface NetworkRuleParts {
  /** The table in nftables; see `firewallTable`. */
  table: string;
  /** Interface names of the runner's networks. */
  networks: readonly string[];
  /** Ports of the host for all containers: those of the proxy, and those that the operator opens (TCP and UDP). */
  openPorts: readonly number[];
  /** Ports of databases. Only Docker listens there, on the published addresses of databases. */
  databasePorts: { first: number; last: number };
}

/** Replaces the table in one transaction; there is no moment without rules. */
export function networkRules({ table, networks, openPorts, databasePorts }: NetworkRuleParts): string {
  return [
    networkRulesRemoval(table).trimEnd(),
    `table inet ${table} {`,
    set('networks', 'type ifname', networks.map(quoted)),
    set(
      'within',
      'type ifname . ifname',
      networks.map((name) => `${quoted(name)} . ${quoted(name)}`),
    ),
    ...metadataSets,
    ...forwardChains,
    'chain input {',
    '  type filter hook input priority filter - 5; policy accept;',
    '  iifname @networks jump host',
    '}',
    'chain host {',
    // Answers to the host's own connections: of the proxy, health checks and sessions with databases.
    '  ct direction reply accept',
    `  meta l4proto ${icmp} accept`,
    `  meta l4proto ${tcpAndUdp} th dport { ${unique([53, ...openPorts]).join(', ')} } accept`,
    `  tcp dport ${databasePorts.first}-${databasePorts.last} accept`,
    '  goto refuse',
    '}',
    ...resetChain,
    ...refuseChain,
    '}',
    '',
  ].join('\n');
}

/** No error if there is no such table: `add` is first, because `destroy` is too new (nftables 1.0.8). */
export const networkRulesRemoval = (table: string): string =>
  `add table inet ${table}\ndelete table inet ${table}\n`;

/**
 * Resets a connection of the host to a removed container. If the container still had data for a client that reads slowly, the end of the
 * connection was never sent. Docker makes the kernel forget the connections of a removed container. The reset tells the client at once,
 * which would otherwise wait for minutes.
 */
const resetChain = [
  'chain output {',
  '  type filter hook output priority filter - 5; policy accept;',
  '  oifname @networks ct state new tcp flags & (syn | rst) == 0 reject with tcp reset',
  '}',
];

/** Chains for packets that leave a network, and that enter one. */
const forwardChains = [
  'chain forward {',
  '  type filter hook forward priority filter - 5; policy accept;',
  // Containers of one network, if the kernel shows their packets to this hook (br_netfilter).
  '  iifname . oifname @within accept',
  '  iifname @networks jump leave',
  '  oifname @networks jump enter',
  '}',
  'chain leave {',
  ...refuseMetadata,
  '  oifname @networks goto refuse',
  '}',
  'chain enter {',
  '  ct direction reply accept',
  // Published on loopback but requested from outside: Docker rewrites the address before the kernel can reject it.
  '  ct original ip daddr 127.0.0.0/8 drop',
  '  ct status dnat accept',
  '  drop',
  '}',
];
