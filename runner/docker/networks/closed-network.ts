/** Networks for a single container of a service. Only the host can reach them. */
import { labels } from '../../../protocol/names.ts';
import { call, type DockerHost, ownedBy } from '../client.ts';
import { isNotFound } from '../docker-error.ts';
import { createNetwork } from './new-network.ts';
import { runSerially } from './run-serially.ts';

/** Creates a network without a route to the outside. @returns its id @throws DockerError; JobFailure `start_failed` */
export function createClosedNetwork(
  host: DockerHost,
  { name, serviceId }: { name: string; serviceId: string },
  networkRange: string,
): Promise<string> {
  const wanted = { name, labels: { [labels.service]: serviceId }, internal: true };
  return runSerially('create', async () => (await createNetwork(host, wanted, networkRange)).id);
}

/**
 * Removes a service's closed networks, or the one with this name; does nothing if there is none. @throws DockerError while a network has a
 * container
 */
export async function removeClosedNetworks(
  host: DockerHost,
  serviceId: string,
  name?: string,
): Promise<void> {
  const found = await call('list the networks', () =>
    host.engine.listNetworks({ filters: ownedBy(host, { [labels.service]: serviceId }) }),
  );
  for (const { Id, Name } of found) {
    if (name !== undefined && Name !== name) continue;
    await call('remove the network', () => host.engine.getNetwork(Id).remove()).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
