/** Starts the new version next to the old one: with a temporary name, its own address, and no traffic from anywhere. */
import { drainSecondsOf, nameInContainer } from '../../../protocol/container-settings.ts';
import type { DeploySecrets, DeploySpec } from '../../../protocol/job-spec.ts';
import { deploymentContainerName, labels, replicaName } from '../../../protocol/names.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { commitVariable } from '../../builder/build-variables.ts';
import { deploymentLabels, diskLimitLabel } from '../../docker/client.ts';
import { createContainer, removeContainer, startContainer } from '../../docker/containers.ts';
import { ensureProjectNetwork, withFreeAddress } from '../../docker/networks/networks.ts';
import { secretKeysLabel } from '../../docker/secret-keys.ts';
import { timeoutDefaultMs } from '../../proxy/health-check.ts';
import type { ContainerTarget } from '../../proxy/traffic.ts';
import type { Attempt } from '../parts/attempt.ts';
import { readOnlyFilesOf, writeFiles } from '../parts/mounted-files.ts';
import { startFailure } from '../parts/start-failure.ts';
import { adoptVolumes, ensureVolumes, volumesLabel } from './service-volumes.ts';
import { prepareStop } from './stop-live.ts';

export interface Candidate {
  id: string;
  address: string;
  networkId: string;
  /** True if the container has the service's internal name, which resolves to the live version; if not, it gets the name with the traffic. */
  isNamed: boolean;
}

/**
 * Creates and starts the container of this deployment. If the old version has to stop, the new container is created first: from then on its
 * existence shows that a job is in progress.
 * @param index of the replica, from 0
 * @throws JobFailure `start_failed` with Docker's reason; DockerError
 */
export async function startCandidate(attempt: Attempt, image: string, index = 0): Promise<Candidate> {
  const { parts, spec, secrets, context, undo } = attempt;
  const network = await ensureProjectNetwork(
    parts.docker,
    spec.projectId,
    parts.networkRange,
    context.signal,
  );
  const name = replicaName(deploymentContainerName(spec.serviceId, spec.deploymentId), index);
  const isNamed = await parts.names.canSend();
  const stopOthers = prepareStop(attempt);
  undo.register('remove the new container', () => removeContainer(parts.docker, name));
  context.signal.throwIfAborted();
  try {
    const volumes = await ensureVolumes(attempt, image);
    const { id, address } = await withFreeAddress(parts.docker, network, async (free) => {
      const settings = containerSettings(attempt, 'app');
      const request = {
        ...settings,
        labels: { ...settings.labels, ...((spec.replicas ?? 1) > 1 && { [labels.replica]: String(index) }) },
        name,
        image,
        networkId: network.id,
        address: free,
        ...(isNamed && { alias: spec.serviceSlug }),
        stop: { signal: spec.stop?.stopSignal, graceSeconds: spec.stop?.stopGraceSeconds },
        volumes,
        // Some programs store data under the name of their machine (RabbitMQ). Only one container at a time has it.
        ...(volumes.length > 0 && { hostname: spec.serviceSlug }),
      };
      return { id: await createContainer(parts.docker, request), address: free };
    });
    crashPoint('start:created');
    context.signal.throwIfAborted();
    await stopOthers();
    crashPoint('start:stopped');
    // Docker mounts the volumes on the host to read and write the container's files. No program may change links in them during
    // that.
    await adoptVolumes(attempt, id, volumes);
    await writeFiles(parts.docker, id, secrets);
    context.signal.throwIfAborted();
    await startContainer(parts.docker, id);
    return { id, address, networkId: network.id, isNamed };
  } catch (error) {
    throw startFailure(error);
  }
}

/** Environment, labels, limits and read-only paths of the service's containers. */
export function containerSettings({ parts, spec, secrets, context, facts }: Attempt, role: 'app' | 'build') {
  return {
    env: serviceEnvironment(spec, facts.commitSha ?? null, secrets),
    labels: {
      ...deploymentLabels(parts.docker, { ...spec, epoch: context.epoch }, role),
      ...secretKeysLabel(secrets, spec.container),
      ...diskLimitLabel(spec.limits),
      [labels.drainSeconds]: String(drainSecondsOf(spec.stop)),
      ...(role === 'app' ? volumesLabel(spec) : {}),
    },
    memoryLimitMb: spec.memoryLimitMb,
    cpuLimit: spec.cpuLimit,
    limits: spec.limits,
    settings: spec.container,
    ...readOnlyFilesOf(secrets),
  };
}

/** The service's variables, and those that the platform adds unless the service sets them. */
export function serviceEnvironment(
  spec: Pick<DeploySpec, 'runtimeMode' | 'internalPort' | 'container'>,
  commitSha: string | null,
  secrets: Pick<DeploySecrets, 'env'>,
): Record<string, string> {
  const port: Record<string, string> =
    spec.runtimeMode === 'worker' ? {} : { PORT: String(spec.internalPort) };
  // Lets an app report its version; an image service has no commit.
  const commit: Record<string, string> = commitSha ? { [commitVariable]: commitSha } : {};
  const variables = Object.entries({ ...port, ...commit, ...secrets.env });
  return Object.fromEntries(variables.map(([key, value]) => [nameInContainer(key, spec.container), value]));
}

/** The target of a new version's requests; `null` for a worker, which gets none. */
export function containerTarget(
  { runtimeMode, internalPort: port, healthCheckPath: path, health, container }: DeploySpec,
  candidates: readonly Pick<Candidate, 'address'>[],
): ContainerTarget | null {
  const [address, ...others] = candidates.map((one) => one.address);
  if (runtimeMode === 'worker' || address === undefined) return null;
  const spoken = container?.protocol === 'h2c' ? { protocol: container.protocol } : {};
  if (others.length === 0) return { type: 'container', address, port, ...spoken };
  const seconds = health?.healthCheckTimeoutSeconds;
  const timeoutMs = seconds === undefined ? timeoutDefaultMs : Math.round(seconds * 1_000);
  const host = health?.healthCheckHost;
  const check = { path: path ?? '/', ...(host === undefined ? {} : { host }), timeoutMs };
  return { type: 'container', address, port, ...spoken, others, ...(path ? { health: check } : {}) };
}
