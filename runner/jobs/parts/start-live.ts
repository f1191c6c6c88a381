import { stableContainerName } from '../../../protocol/names.ts';
import type { DockerHost } from '../../docker/client.ts';
import { listServiceContainers, startContainer } from '../../docker/containers.ts';
import type { Traffic } from '../../proxy/traffic.ts';

/**
 * Starts the live container of a service again that an attempt has stopped. Does nothing if its owner has stopped the service, or while
 * another version runs: two must never write to the same volume.
 * @throws DockerError
 */
export async function startLive(
  { docker, traffic }: { docker: DockerHost; traffic: Pick<Traffic, 'current'> },
  serviceId: string,
): Promise<void> {
  if (traffic.current(serviceId)?.target.type === 'stopped') return;
  const containers = await listServiceContainers(docker, serviceId);
  const live = containers.find(({ name }) => name === stableContainerName(serviceId));
  const isOtherUp = containers.some((one) => one !== live && (one.running || one.restarting));
  if (live && !isOtherUp) await startContainer(docker, live.id);
}
