/** The containers with the name of a service on their project's network, and their addresses, started or not. */
import { labels } from '../../../protocol/names.ts';
import { call, type DockerHost, ownedBy } from '../client.ts';
import { hasLiveName, inspectContainer } from '../containers.ts';
import { isNotFound } from '../docker-error.ts';
import { interfaceOf } from './bridges.ts';

export interface NamedContainer {
  serviceId: string;
  deploymentId: string;
  /** The container's fixed address on the project's network. */
  address: string;
  /** The interface of that network on the host. */
  bridge: string;
  running: boolean;
  /** Time of the last start (epoch milliseconds); absent if the service has one container. */
  startedAt?: number;
  /** True if the container's own name is that of a live version. */
  hasLiveName: boolean;
}

/**
 * All versions of all services of this runner. Databases are left out: they have one container at a time.
 * @throws DockerError
 */
export async function namedContainers(host: DockerHost): Promise<NamedContainer[]> {
  const found = await call('list the containers', (abortSignal) =>
    host.engine.listContainers({
      all: true,
      filters: ownedBy(host, { [labels.role]: 'app' }),
      abortSignal,
    }),
  );
  const named = found.flatMap(({ Id, Labels: of, HostConfig, NetworkSettings, State, Names }) => {
    const [endpoint] = Object.values(NetworkSettings?.Networks ?? {});
    const address = endpoint?.IPAMConfig?.IPv4Address || endpoint?.IPAddress;
    const [serviceId, deploymentId] = [of[labels.service], of[labels.deployment]];
    if (of[labels.port] || !address || !serviceId || !deploymentId) return [];
    const name = (Names[0] ?? '').replace(/^\//, '');
    return {
      id: Id,
      serviceId,
      deploymentId,
      address,
      bridge: interfaceOf({ Id: HostConfig.NetworkMode }),
      running: State === 'running',
      hasLiveName: hasLiveName({ name, labels: of }),
    };
  });
  // Docker's list is late: a container whose end was reported is still listed as running. That matters if there are others.
  const hasOthers = (one: NamedContainer) =>
    named.some(({ serviceId, address }) => serviceId === one.serviceId && address !== one.address);
  return await Promise.all(
    named.map(async ({ id, ...one }) =>
      one.running && hasOthers(one) ? { ...one, ...(await stateNow(host, id)) } : one,
    ),
  );
}

const stateNow = (host: DockerHost, id: string): Promise<Pick<NamedContainer, 'running' | 'startedAt'>> =>
  inspectContainer(host, id).then(
    ({ running, startedAt }) => ({ running, startedAt }),
    (error: unknown) => {
      if (isNotFound(error)) return { running: false };
      throw error;
    },
  );
