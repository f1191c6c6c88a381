/** The containers with the output of a service's log: listed in one call, each inspected only after a change. */
import { labels } from '../../../protocol/names.ts';
import { call, type DockerHost, ownedBy } from '../client.ts';
import { environmentIn, replicaOf } from '../containers.ts';
import { secretsIn } from '../secret-keys.ts';

export interface AppContainer {
  id: string;
  serviceId: string;
  deploymentId: string;
  isRunning: boolean;
  /** The replica's number, from 1; absent if the service has only one container. */
  replica?: number;
}

/** The events of a container that its log reports. Times in microseconds since the epoch; 0 if it never happened. */
export interface AppContainerState {
  isRunning: boolean;
  /** Docker will start the container again soon. */
  isRestarting: boolean;
  startedAt: number;
  endedAt: number;
  exitCode: number;
  memoryLimitMb: number | null;
  /** Values to mask in its output. */
  secrets: string[];
}

/** @throws DockerError */
export async function listAppContainers(host: DockerHost): Promise<AppContainer[]> {
  const filters = ownedBy(host, { [labels.role]: 'app' });
  const found = await call('list the containers', (abortSignal) =>
    host.engine.listContainers({ all: true, filters, abortSignal }),
  );
  return found.flatMap(({ Id, Labels, State }) => {
    const serviceId = Labels[labels.service];
    const deploymentId = Labels[labels.deployment] ?? '';
    const replica = Labels[labels.replica] ? { replica: replicaOf(Labels) + 1 } : {};
    return serviceId ? [{ id: Id, serviceId, deploymentId, isRunning: State === 'running', ...replica }] : [];
  });
}

/** @throws DockerError with status 404 if the container is gone */
export async function appContainerState(host: DockerHost, id: string): Promise<AppContainerState> {
  const { State, Config, HostConfig } = await call('inspect the container', (abortSignal) =>
    host.engine.getContainer(id).inspect({ abortSignal }),
  );
  return {
    isRunning: State.Running && !State.Restarting,
    isRestarting: State.Restarting,
    startedAt: microseconds(State.StartedAt),
    endedAt: microseconds(State.FinishedAt),
    exitCode: State.ExitCode,
    memoryLimitMb: HostConfig.Memory ? HostConfig.Memory / 2 ** 20 : null,
    secrets: secretsIn(environmentIn(Config.Env), Config.Labels),
  };
}

/** @param time RFC 3339 with nanoseconds; the year 1 if it never happened */
function microseconds(time: string): number {
  const digits = /\.(\d+)/.exec(time)?.[1] ?? '';
  const seconds = Math.floor(Date.parse(time) / 1000);
  return Number.isFinite(seconds) && seconds > 0
    ? seconds * 1_000_000 + Number(digits.padEnd(6, '0').slice(0, 6))
    : 0;
}
