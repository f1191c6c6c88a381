/** Networks of projects: one per project, each with its own /24, so that a container keeps its address across restarts. */
import type { Network } from 'dockerode';
import { labels, projectNetworkName } from '../../../protocol/names.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { call, type DockerHost, ownedBy } from '../client.ts';
import { DockerError, isNotFound } from '../docker-error.ts';
import { createNetwork } from './new-network.ts';
import { runSerially } from './run-serially.ts';
import { freeAddress, parseRange } from './subnets.ts';

export interface ProjectNetwork {
  /** Used instead of the name: names are not unique in Docker 20.10. */
  id: string;
  projectId: string;
  subnet: string;
}

/**
 * The network of a project; created if it is missing.
 * @param networkRange its /24 is taken from this range, avoiding ranges that the host routes and Docker's networks use
 * @throws DockerError; JobFailure `start_failed` if no range is left
 */
export function ensureProjectNetwork(
  host: DockerHost,
  projectId: string,
  networkRange: string,
  signal?: AbortSignal,
): Promise<ProjectNetwork> {
  return runSerially('create', async () => {
    const existing = await findProjectNetwork(host, projectId, signal);
    return existing ?? (await createProjectNetwork(host, projectId, networkRange, signal));
  });
}

/** The network of a project, if there is one. */
export async function findProjectNetwork(
  host: DockerHost,
  projectId: string,
  signal?: AbortSignal,
): Promise<ProjectNetwork | undefined> {
  const found = await call(
    'list the networks',
    () => host.engine.listNetworks({ filters: ownedBy(host, { [labels.project]: projectId }) }),
    { signal },
  );
  const oldest = found.sort((a, b) => String(a.Created).localeCompare(String(b.Created)))[0];
  const subnet = oldest?.IPAM?.Config?.[0]?.Subnet;
  return oldest && subnet ? { id: oldest.Id, projectId, subnet } : undefined;
}

export async function networkedProjects(host: DockerHost): Promise<string[]> {
  const found = await call('list the networks', () => host.engine.listNetworks({ filters: ownedBy(host) }));
  return found.flatMap((network) => network.Labels?.[labels.project] ?? []);
}

/** Removes a project's network; does nothing if it is already gone. */
export async function removeProjectNetwork(host: DockerHost, projectId: string): Promise<void> {
  for (
    let network = await findProjectNetwork(host, projectId);
    network;
    network = await findProjectNetwork(host, projectId)
  ) {
    const { id } = network;
    try {
      await call('remove the network', () => host.engine.getNetwork(id).remove());
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/**
 * Runs `use` with a free address of the network; until it ends, no other address of this network is chosen. The runner assigns fixed
 * addresses: Docker would give a restarted container another one.
 */
export function withFreeAddress<T>(
  host: DockerHost,
  network: ProjectNetwork,
  use: (address: string) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return runSerially(network.id, async () => {
    const range = parseRange(network.subnet);
    const address = range && freeAddress(range, await usedAddresses(host, network, signal));
    if (!address) throw new JobFailure('start_failed', 'The project has no free network address left.');
    const used = await use(address);
    await host.containerCreated?.();
    return used;
  });
}

/**
 * Reconnects a container to its network with the same address and other aliases, by which peers find it. For 0.1 s the container has no
 * network, and the kernel forgets its open connections, so that some of them end. So this is only used if the firewall can't send new
 * connections to the live version. Until it ends, the address is not given to another container.
 */
export function setAliases(
  host: DockerHost,
  container: { id: string; address: string },
  networkId: string,
  aliases: string[],
): Promise<void> {
  return runSerially(networkId, async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await reconnect(host.engine.getNetwork(networkId), container, aliases);
      } catch (error) {
        if (attempt === reconnectsMax || !isRestarted(error)) throw error;
      }
    }
  });
}

const reconnectsMax = 5;

/** True if the container has just ended (Docker 28 reports its sandbox), or Docker has restarted it and so connected it again. */
const isRestarted = (error: unknown): boolean =>
  error instanceof DockerError &&
  /already exists in network|network sandbox for container \S+ not found/i.test(error.detail);

async function reconnect(
  network: Network,
  container: { id: string; address: string },
  aliases: string[],
): Promise<void> {
  await call('disconnect the container from its network', () =>
    network.disconnect({ Container: container.id }),
  ).catch((error) => {
    if (!(error instanceof DockerError && /is not connected/i.test(error.detail))) throw error;
  });
  await call('connect the container to its network', () =>
    network.connect({
      Container: container.id,
      EndpointConfig: { IPAMConfig: { IPv4Address: container.address }, Aliases: aliases },
    }),
  );
}

async function createProjectNetwork(
  host: DockerHost,
  projectId: string,
  networkRange: string,
  signal?: AbortSignal,
): Promise<ProjectNetwork> {
  const wanted = { name: projectNetworkName(projectId), labels: { [labels.project]: projectId } };
  return { ...(await createNetwork(host, wanted, networkRange, signal)), projectId };
}

/**
 * Addresses of all containers of the project, and of anything else connected to its network. Stopped containers count, because they may be
 * started again with their fixed address. The project's containers are found by label, because Docker's filter by network leaves out
 * containers that were never started (20.10.24).
 */
async function usedAddresses(
  host: DockerHost,
  network: ProjectNetwork,
  signal?: AbortSignal,
): Promise<string[]> {
  const ofProject = ownedBy(host, { [labels.project]: network.projectId });
  const containers = await call(
    'list the containers',
    (abortSignal) => host.engine.listContainers({ all: true, filters: ofProject, abortSignal }),
    { signal },
  );
  const { Containers: connected = {} } = await call(
    'inspect the network',
    () => host.engine.getNetwork(network.id).inspect(),
    { signal },
  );
  return [
    ...containers.flatMap((container) =>
      Object.values(container.NetworkSettings?.Networks ?? {}).flatMap((endpoint) => {
        const address = endpoint.IPAMConfig?.IPv4Address || endpoint.IPAddress;
        return address ? [address] : [];
      }),
    ),
    // Includes the prefix length: `10.0.0.3/24`.
    ...Object.values(connected ?? {}).flatMap(({ IPv4Address }) => IPv4Address.split('/', 1)),
  ];
}
