/**
 * The rules that direct a service's internal name to its live version, as the text that `nft -f` takes: a pure function of the containers.
 *
 * All containers of a service have its name from their creation on, because Docker can only change the name of a container by removing its
 * network for a moment, with all its connections. So the name resolves to each of them, and the rules send each new connection to the live
 * version. Open connections are not moved. New connections to a live replica that does not run are sent to the others, too: Docker's DNS
 * has it again before it listens.
 */
import type { NamedContainer } from '../docker/networks/named-containers.ts';
import { quoted, set, tcpAndUdp } from './rule-parts.ts';

export interface NameRuleParts {
  /** The table in nftables; see `namesTable`. */
  table: string;
  /** `running`: it accepts connections. */
  containers: readonly NamedContainer[];
  /** The deployment with the containers for the service's name; `null` if none is live. */
  liveDeployment: (serviceId: string) => string | null;
}

/** Replaces the table in one transaction; existing connections are not moved. */
export function nameRules({ table, containers, liveDeployment }: NameRuleParts): string {
  const isLive = ({ serviceId, deploymentId }: NamedContainer) => deploymentId === liveDeployment(serviceId);
  const sent = containers
    .map((other) => {
      const live = containers
        .filter((one) => one.serviceId === other.serviceId && isLive(one))
        .filter((one) => one.bridge === other.bridge && one.running);
      return { ...other, live: live.map(({ address }) => address) };
    })
    .filter((other) => !isLive(other) || (!other.running && other.live.length > 0))
    .map((other, index) => ({ ...other, to: other.live[index % other.live.length] }));
  const at = ({ bridge, address }: NamedContainer) => `${quoted(bridge)} . ${address}`;
  return [
    `add table inet ${table}`,
    `delete table inet ${table}`,
    `table inet ${table} {`,
    map(sent.flatMap((one) => (one.to === undefined ? [] : `${at(one)} : ${one.to}`))),
    set('refused', 'type ifname . ipv4_addr', sent.filter(({ to }) => to === undefined).map(at)),
    // A live version that requests its own name: it can't be sent to itself, and the other one still answers.
    set(
      'itself',
      'type ipv4_addr . ipv4_addr',
      sent.flatMap(({ live, address }) => live.map((from) => `${from} . ${address}`)),
    ),
    'chain send {',
    '  type nat hook prerouting priority dstnat - 5; policy accept;',
    '  ip saddr . ip daddr @itself accept',
    // A packet in the middle of a connection that the kernel has forgotten is not a new connection.
    '  tcp flags & (fin | syn | rst | ack) == syn dnat ip to iifname . ip daddr map @sent',
    '  meta l4proto 17 dnat ip to iifname . ip daddr map @sent',
    '}',
    'chain refuse {',
    '  type filter hook forward priority filter - 6; policy accept;',
    '  iifname . ip daddr @refused tcp flags & (fin | syn | rst | ack) == syn reject with tcp reset',
    `  iifname . ip daddr @refused meta l4proto != 6 meta l4proto ${tcpAndUdp} reject`,
    '}',
    '}',
    '',
  ].join('\n');
}

/** nft accepts no empty list of elements. */
const map = (elements: readonly string[]) =>
  `map sent { type ifname . ipv4_addr : ipv4_addr; ${elements.length === 0 ? '' : `elements = { ${elements.join(', ')} }; `}}`;
