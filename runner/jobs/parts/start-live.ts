import { stableContainerName } from '../../../protocol/names.ts';
import type { DockerHost } from '../../docker/client.ts';
import { type ContainerFacts, listServiceContainers, startContainer } from '../../docker/containers.ts';
import type { Traffic } from '../../proxy/traffic.ts';
import { releaseTraffic } from './hold-traffic.ts';

/**
 * Starts the live container of a service again that an attempt has stopped. Does nothing if its owner has stopped the service, or while
 * another version runs or is about to start: two must never write to the same volume. A version that another attempt has created but not
 * started will start as soon as the live one has stopped. Waiting requests are sent to the version when this returns.
 * @throws DockerError, ProxyError
 */
export async function startLive(
  { docker, traffic }: { docker: DockerHost; traffic: Pick<Traffic, 'current' | 'setHeld'> },
  serviceId: string,
): Promise<void> {
  if (traffic.current(serviceId)?.target.type === 'stopped') return;
  const containers = await listServiceContainers(docker, serviceId);
  const live = containers.find(({ name }) => name === stableContainerName(serviceId));
  const isOtherUp = containers.some((one) => one !== live && (one.running || one.restarting || isNew(one)));
  if (!live || isOtherUp) return;
  await startContainer(docker, live.id);
  await releaseTraffic({ docker, traffic }, serviceId, live);
}

/** True for a container that an attempt has created for the volumes but not started yet. */
const isNew = ({ startedAt, hasDataVolume }: ContainerFacts) => startedAt === 0 && hasDataVolume;
