/**
 * Runs an engine like the service's on a separate volume, in a container that only the host can reach, so that data can be loaded into it.
 */
import { labels, restoreContainerName } from '../../../../protocol/names.ts';
import type { DockerHost } from '../../../docker/client.ts';
import {
  type ContainerFacts,
  inspectContainer,
  removeContainer,
  startContainer,
  stopContainer,
} from '../../../docker/containers.ts';
import { copyContainer, copyFiles } from '../../../docker/copy-container.ts';
import { execTools } from '../../../docker/exec-tools.ts';
import { createClosedNetwork, removeClosedNetworks } from '../../../docker/networks/closed-network.ts';
import type { DataPlace, FreshPlace, RestoreNames } from '../../../engines/archive/archive.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import { settingFiles } from './setting-files.ts';
import { type SwapParts, stopGraceSeconds } from './swap-containers.ts';

export interface IsolatedEngineParts extends SwapParts {
  /** RunnerConfig.networkRange. */
  networkRange: string;
}

/** The container to copy, and the volume for the data. */
export interface IsolatedEngine extends RestoreNames {
  live: ContainerFacts;
  /** The volume must already exist. */
  volume: string;
  /** Extra arguments at the end of the engine's command. */
  arguments: readonly string[];
  /** Id of an image other than the live container's. */
  image?: string;
}

/**
 * Starts the engine, which may not answer yet, and stops it cleanly after the work. After a failure, call `removeIsolatedEngine`.
 * @throws EngineError, DockerError; JobFailure `start_failed`; the signal's reason
 */
export async function withIsolatedEngine<T>(
  { docker, serviceId, engine, networkRange }: IsolatedEngineParts,
  { env, signal, progress }: Omit<DataPlace, 'address' | 'tools'>,
  { live, volume, suffix, arguments: more, image }: IsolatedEngine,
  work: (place: FreshPlace) => Promise<T>,
): Promise<T> {
  const name = restoreContainerName(serviceId, 'loading', suffix);
  const networkId = await createClosedNetwork(docker, { name, serviceId }, networkRange);
  const id = await copyContainer(docker, live.id, {
    name,
    volume,
    labels: { ...ownerOf(live), [labels.role]: 'load' },
    alone: { networkId, arguments: more },
    ...(image === undefined ? {} : { image }),
  });
  await copyFiles(docker, live.id, id, settingFiles(engine, env, live));
  const start = async () => {
    await startContainer(docker, id);
    const { address } = await inspectContainer(docker, id);
    if (address === null) throw await exitErrorOf(docker, id);
    return { host: address, port: Number(live.labels[labels.port]) };
  };
  const place: FreshPlace = {
    ...{ env, signal, progress, tools: execTools(docker, id), address: await start() },
    async restart() {
      await stopContainer(docker, id, stopGraceSeconds);
      place.address = await start();
    },
    async assertRunning() {
      const { running } = await inspectContainer(docker, id);
      if (!running) throw await exitErrorOf(docker, id);
    },
  };
  const result = await work(place).catch(async (error: unknown) => {
    signal.throwIfAborted();
    const { running } = await inspectContainer(docker, id);
    throw running ? error : await exitErrorOf(docker, id);
  });
  await stopContainer(docker, id, stopGraceSeconds);
  signal.throwIfAborted();
  await removeIsolatedEngine({ docker, serviceId }, { suffix });
  return result;
}

/** Removes the container and its network, if they exist. Its volume stays. @throws DockerError */
export async function removeIsolatedEngine(
  { docker, serviceId }: Pick<SwapParts, 'docker' | 'serviceId'>,
  { suffix }: RestoreNames,
): Promise<void> {
  const name = restoreContainerName(serviceId, 'loading', suffix);
  await removeContainer(docker, name);
  await removeClosedNetworks(docker, serviceId, name);
}

/**
 * The labels that mark an object as the service's. The deployment's label is left out, so undoing a deployment doesn't remove the volume.
 */
export function ownerOf({ labels: of }: ContainerFacts): Record<string, string> {
  const kept = [labels.instance, labels.project, labels.service];
  return Object.fromEntries(kept.flatMap((label) => (of[label] ? [[label, of[label]]] : [])));
}

/** The engine no longer answers because its container has exited. */
async function exitErrorOf(docker: DockerHost, id: string): Promise<EngineError> {
  const { outOfMemory, exitCode } = await inspectContainer(docker, id);
  const why = outOfMemory
    ? 'it needs more memory than the memory limit of the service'
    : `exit code ${exitCode}`;
  return new EngineError('unavailable', `The database exited while the data was loaded: ${why}.`);
}
