/** Which containers have the name of a service on their project's network, and where they are: in one call, started or not. */
import { labels } from '../../../protocol/names.ts';
import { call, type DockerHost, ownedBy } from '../client.ts';
import { hasLiveName } from '../containers.ts';
import { interfaceOf } from './bridges.ts';

export interface NamedContainer {
  serviceId: string;
  deploymentId: string;
  /** Its fixed address on the project's network. */
  address: string;
  /** The interface of that network on the host. */
  bridge: string;
  running: boolean;
  /** Whether its own name is that of a live version. */
  hasLiveName: boolean;
}

/**
 * All versions of all services of this runner. Without databases, which have one container at a time.
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
  return found.flatMap(({ Labels: of, HostConfig, NetworkSettings, State, Names }) => {
    const [endpoint] = Object.values(NetworkSettings?.Networks ?? {});
    const address = endpoint?.IPAMConfig?.IPv4Address || endpoint?.IPAddress;
    const [serviceId, deploymentId] = [of[labels.service], of[labels.deployment]];
    if (of[labels.port] || !address || !serviceId || !deploymentId) return [];
    const name = (Names[0] ?? '').replace(/^\//, '');
    return {
      serviceId,
      deploymentId,
      address,
      bridge: interfaceOf({ Id: HostConfig.NetworkMode }),
      running: State === 'running',
      hasLiveName: hasLiveName({ name, labels: of }),
    };
  });
}
