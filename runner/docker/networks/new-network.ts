/** Creates networks whose addresses overlap no other network's. */
import { readFile } from 'node:fs/promises';
import { labels } from '../../../protocol/names.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { call, type DockerHost } from '../client.ts';
import { DockerError } from '../docker-error.ts';
import { freeSubnet, parseRange, type Range, routedRanges } from './subnets.ts';

/** Two runners on one daemon may choose the same range at once: one of them retries. */
const createAttempts = 5;

export interface NewNetwork {
  name: string;
  /** Labels in addition to the instance's label. */
  labels: Record<string, string>;
  /** True for a network without a route to the outside. */
  internal?: boolean;
}

/**
 * Creates a network with its own /24, outside of the ranges that the host routes and Docker's networks use. Call it inside
 * `runSerially('create')`: two parallel calls would choose the same range.
 * @throws DockerError; JobFailure `start_failed` when no range is left
 */
export async function createNetwork(
  host: DockerHost,
  wanted: NewNetwork,
  networkRange: string,
  signal?: AbortSignal,
): Promise<{ id: string; subnet: string }> {
  const within = parseRange(networkRange);
  if (!within)
    throw new JobFailure('internal', `The runner's networkRange "${networkRange}" is not an IPv4 range.`);
  let { name } = wanted;
  // Ranges taken by networks that are not in the list yet.
  const refused: Range[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const subnet = freeSubnet(within, [...refused, ...(await takenRanges(host, signal))]);
    if (!subnet)
      throw new JobFailure('start_failed', `The host has no free network range left in ${networkRange}.`);
    try {
      const id = await tryNetwork(host, { ...wanted, name, subnet }, signal);
      await host.networkCreated?.();
      return { id, subnet };
    } catch (error) {
      const detail = error instanceof DockerError ? error.detail : '';
      const isNamed = /already exists/i.test(detail);
      const overlapping = /overlap/i.test(detail) ? parseRange(subnet) : undefined;
      if (attempt === createAttempts || !(isNamed || overlapping)) throw error;
      if (overlapping) refused.push(overlapping);
      // The name belongs to another runner on the same daemon. Networks are found by labels, so any unique name will do.
      if (isNamed) name = `${wanted.name}-${host.instance}`;
    }
  }
}

async function tryNetwork(
  host: DockerHost,
  { name, labels: own, internal = false, subnet }: NewNetwork & { subnet: string },
  signal?: AbortSignal,
): Promise<string> {
  const network = await call(
    'create the network',
    (abortSignal) =>
      host.engine.createNetwork({
        Name: name,
        CheckDuplicate: true,
        Driver: 'bridge',
        Internal: internal,
        IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
        Labels: { [labels.instance]: host.instance, ...own },
        abortSignal,
      }),
    { signal },
  );
  return network.id;
}

async function takenRanges(host: DockerHost, signal?: AbortSignal): Promise<Range[]> {
  const networks = await call('list the networks', () => host.engine.listNetworks(), { signal });
  const ofDocker = networks.flatMap((network) =>
    (network.IPAM?.Config ?? []).flatMap((config) =>
      config.Subnet ? (parseRange(config.Subnet) ?? []) : [],
    ),
  );
  // The file is missing on systems other than Linux, which then have no routes to skip.
  const ofHost = routedRanges(await readFile('/proc/net/route', 'utf8').catch(() => ''));
  return [...ofDocker, ...ofHost];
}
