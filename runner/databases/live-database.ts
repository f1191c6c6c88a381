import { labels, stableContainerName } from '../../protocol/names.ts';
import type { DockerHost } from '../docker/client.ts';
import { type ContainerFacts, inspectContainer } from '../docker/containers.ts';
import { isNotFound } from '../docker/docker-error.ts';
import { type End, endOf } from '../docker/events.ts';
import type { EngineAddress } from '../engines/engine.ts';
import { EngineError } from '../engines/engine-error.ts';

export interface LiveDatabase {
  containerId: string;
  /** Changes with every start of the container. */
  run: string;
  /** Epoch milliseconds. */
  startedAt: number;
  address: EngineAddress;
}

/**
 * The running container of a database.
 * @throws EngineError `not_running` with the reason, `unsupported` for a service that is not a database; DockerError
 */
export async function liveDatabase(docker: DockerHost, serviceId: string): Promise<LiveDatabase> {
  const container = await find(docker, serviceId);
  if (!container || container.labels[labels.instance] !== docker.instance) {
    throw new EngineError('not_running', 'The database has no container on its host: deploy it.');
  }
  const port = Number(container.labels[labels.port] ?? 0);
  if (port === 0) throw new EngineError('unsupported', 'This service is not a database.');
  if (container.restarting || !container.running)
    throw new EngineError('not_running', downSentence(container, await endOf(docker, container)));
  const { id, startedAt, address } = container;
  if (address === null) {
    throw new EngineError(
      'not_running',
      'The container of the database is not connected to its network: deploy it again.',
    );
  }
  return { containerId: id, run: `${id} ${startedAt}`, startedAt, address: { host: address, port } };
}

async function find(docker: DockerHost, serviceId: string): Promise<ContainerFacts | undefined> {
  try {
    return await inspectContainer(docker, stableContainerName(serviceId));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function downSentence({ restarting }: ContainerFacts, { exitCode, outOfMemory }: End): string {
  const code = exitCode === null ? 'Docker has forgotten how it ended' : `its last exit code is ${exitCode}`;
  const how = outOfMemory ? 'it ran out of memory' : code;
  if (restarting) return `The database keeps crashing (${how}): its runtime log shows why.`;
  if (exitCode === 0) return 'The database is stopped: deploy it to start it again.';
  return `The database is not running (${how}): its runtime log shows why. Deploy it to start it again.`;
}
