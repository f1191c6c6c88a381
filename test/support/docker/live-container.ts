/** A container with the name of a service's live container, running the test's program. */
import { labels, stableContainerName } from '../../../protocol/names.ts';
import { type DockerHost, deploymentLabels } from '../../../runner/docker/client.ts';
import { testId } from './docker-host.ts';

/** A program that runs until it is ended. */
export const idle = 'setInterval(() => {}, 1000)';

/** The container is not started. @param options.port the label of a database's port; empty: not a database */
export async function createLiveContainer(
  docker: DockerHost,
  script: string,
  { port = '5432', restart = 'no', env = {}, more = {}, memoryMb = 0 } = {},
) {
  const [projectId, serviceId, deploymentId] = [testId('project'), testId('service'), testId('deployment')];
  const container = await docker.engine.createContainer({
    name: stableContainerName(serviceId),
    Image: 'node:24-slim',
    Cmd: ['node', '-e', script],
    Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
    Labels: {
      ...deploymentLabels(docker, { projectId, serviceId, deploymentId, epoch: 1 }, 'app'),
      ...(port ? { [labels.port]: port } : {}),
      ...more,
    },
    HostConfig: {
      RestartPolicy: { Name: restart },
      Memory: memoryMb * 2 ** 20,
      MemorySwap: memoryMb * 2 ** 20,
    },
  });
  return { container, serviceId };
}
