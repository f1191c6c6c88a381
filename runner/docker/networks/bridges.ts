/** The bridges of Docker's networks in the host's kernel. */
import type { NetworkInspectInfo } from 'dockerode';
import { call, type DockerHost, ownedBy } from '../client.ts';

export interface Bridges {
  /** Interface names of this runner's networks. */
  own: string[];
  /** `null` if the daemon is configured without a default network. */
  default: DefaultBridge | null;
}

/** Docker's default network (`docker0`). BuildKit's steps use it, and other people's containers. */
export interface DefaultBridge {
  name: string;
  subnets: string[];
  /** Addresses of its containers. BuildKit's steps are not containers of the daemon, so their addresses are missing here. */
  containers: string[];
}

/** The length of the id in an interface's name, unless a network's options set the name. */
const interfaceIdLength = 12;
const nameOption = 'com.docker.network.bridge.name';
const defaultNetworkOption = 'com.docker.network.bridge.default_bridge';

/** @throws DockerError */
export async function readBridges(host: DockerHost): Promise<Bridges> {
  const bridges = { filters: { driver: ['bridge'] } };
  const all = await call('list the networks', () => host.engine.listNetworks(bridges));
  const own = await call('list the networks', () => host.engine.listNetworks({ filters: ownedBy(host) }));
  const defaultNetwork = all.find(({ Options }) => Options?.[defaultNetworkOption] === 'true');
  return {
    own: own.map(interfaceOf).sort(),
    default: defaultNetwork ? await readDefaultBridge(host, defaultNetwork) : null,
  };
}

/** The name of a network's interface on the host. */
export const interfaceOf = ({ Id, Options }: Pick<NetworkInspectInfo, 'Id' | 'Options'>): string =>
  Options?.[nameOption] ?? `br-${Id.slice(0, interfaceIdLength)}`;

async function readDefaultBridge(host: DockerHost, network: NetworkInspectInfo): Promise<DefaultBridge> {
  const { Containers: connected } = await call('inspect the network', () =>
    host.engine.getNetwork(network.Id).inspect(),
  );
  const known = await call('list the containers', () => host.engine.listContainers({ all: true }));
  const containers = new Set(known.map(({ Id }) => Id));
  return {
    name: interfaceOf(network),
    subnets: (network.IPAM?.Config ?? []).flatMap(({ Subnet }) => Subnet || []),
    containers: Object.entries(connected ?? {})
      .filter(([id]) => containers.has(id))
      .flatMap(([, { IPv4Address, IPv6Address }]) => [IPv4Address, IPv6Address])
      .flatMap((address) => address?.split('/', 1)[0] || [])
      .sort(),
  };
}
