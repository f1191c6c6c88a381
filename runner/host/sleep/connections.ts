import { labels } from '../../../protocol/names.ts';
import type { DockerHost } from '../../docker/client.ts';
import { listServiceContainers } from '../../docker/containers.ts';
import { connectionsInto } from '../../proxy/tcp-table.ts';
import type { Route } from '../../proxy/traffic.ts';

/**
 * How many connections are open to a version, on any of its ports: those of the proxy, and of other services of the project, which the
 * host's own table does not show.
 * @throws DockerError
 */
export async function connectionsOf(
  docker: DockerHost,
  { serviceId, deploymentId, target }: Route,
): Promise<number> {
  if (target.type !== 'container') return 0;
  const containers = await listServiceContainers(docker, serviceId);
  const counts = containers
    .filter(({ labels: of, running }) => of[labels.deployment] === deploymentId && running)
    .map(connectionsInto);
  return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0);
}
