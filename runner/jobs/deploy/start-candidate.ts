/** Starts the new version next to the old one: with a temporary name, its own address, and no traffic from anywhere. */
import { nameInContainer } from '../../../protocol/container-settings.ts';
import type { DeploySecrets, DeploySpec } from '../../../protocol/job-spec.ts';
import { deploymentContainerName, labels, replicaName } from '../../../protocol/names.ts';
import { drainSecondsOf } from '../../../protocol/settings/stop-settings.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { deploymentLabels, diskLimitLabel } from '../../docker/client.ts';
import { createContainer, removeContainer, startContainer } from '../../docker/containers.ts';
import { ensureProjectNetwork, withFreeAddress } from '../../docker/networks/networks.ts';
import { secretKeysLabel } from '../../docker/secret-keys.ts';
import type { Attempt } from '../parts/attempt.ts';
import { readOnlyFilesOf, writeFiles } from '../parts/mounted-files.ts';
import { startFailure } from '../parts/start-failure.ts';
import { adoptVolumes, ensureVolumes, volumesLabel } from './service-volumes.ts';
import { prepareStop } from './stop-live.ts';

export interface Candidate {
  id: string;
  address: string;
  networkId: string;
  /** Whether it has the service's internal name, which leads to the live version; if not, it gets the name with the traffic. */
  isNamed: boolean;
}

/**
 * Creates and starts the container of this deployment. It is created before the old version stops, if that has to stop: from then on its
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
        // Some programs keep their data under the name of their machine (RabbitMQ). One container at a time has it.
        ...(volumes.length > 0 && { hostname: spec.serviceSlug }),
      };
      return { id: await createContainer(parts.docker, request), address: free };
    });
    crashPoint('start:created');
    context.signal.throwIfAborted();
    await stopOthers();
    crashPoint('start:stopped');
    // Docker mounts the volumes on the host to read and write files of the new container. No program may change links in them meanwhile.
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
  const commit: Record<string, string> = commitSha ? { LONGSHORE_COMMIT_SHA: commitSha } : {};
  const variables = Object.entries({ ...port, ...commit, ...secrets.env });
  return Object.fromEntries(variables.map(([key, value]) => [nameInContainer(key, spec.container), value]));
}
